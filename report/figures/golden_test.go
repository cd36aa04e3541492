package figures

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The pictures of a small herd, whole. After a change on purpose, run with -update and look at them.
func TestGolden(t *testing.T) {
	m := dirac(everySecond)
	m.workers, m.slots, m.queue, m.window = 24, 1, 2, 250*time.Millisecond
	r := aReport(three(m)...)
	r.Setup.Window, r.Setup.Capacity = m.window, 10
	for _, f := range All() {
		if f.Empty(r) != "" {
			continue // it has a test of its own
		}
		got, err := f.Draw(r, Light, SVG)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		golden(t, f.Name, got)
	}
	got, err := brokerQueues.Draw(brokerReport([]string{"requeue", "dying"}, starving(10), dying(10)), Light, SVG)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, brokerQueues.Name, got)
}

// golden compares a picture with the one in testdata, or replaces it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name+".svg")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}

// A picture of few colours keeps each of them; of many it keeps the most frequent, and the others come close.
func TestIndexed(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 100, 100))
	for i := range 10_000 {
		img.SetRGBA(i%100, i/100, color.RGBA{uint8(i % 7), uint8(i / 5000), 200, 255})
	}
	out := indexed(img)
	for i := range 10_000 {
		if r, g, b, _ := out.At(i%100, i/100).RGBA(); r>>8 != uint32(i%7) || g>>8 != uint32(i/5000) || b>>8 != 200 {
			t.Fatalf("pixel %d is %d %d %d", i, r>>8, g>>8, b>>8)
		}
	}

	for i := range 4000 {
		img.SetRGBA(i%100, i/100, color.RGBA{uint8(i), uint8(i / 16), 0, 255})
	}
	out = indexed(img)
	if n := len(out.Palette); n != 256 {
		t.Errorf("%d colours, want 256", n)
	}
	if r, g, b, _ := out.At(50, 99).RGBA(); r>>8 != 9950%7 || g>>8 != 1 || b>>8 != 200 {
		t.Errorf("a frequent colour became %d %d %d", r>>8, g>>8, b>>8)
	}
	for i := range 4000 {
		r, g, b, _ := out.At(i%100, i/100).RGBA()
		is := r>>8 | g>>8<<8 | b>>8<<16
		if want := uint32(uint8(i)) | uint32(i/16)<<8; distance(is, want) > 40*40 {
			t.Fatalf("pixel %d is %06x, want near %06x", i, is, want)
		}
	}
}

// Text stands in the PNG where the page says: each letter's ink lies within its box.
func TestTextInPNG(t *testing.T) {
	var boxes []textBox
	l := layout{title: "t", height: 60, draw: func(p *page) {
		p.write("11 jumps × 7", 700, 30, right, pen{bold, 15, p.pal.ink})
		p.write("指", 100, 30, left, pen{regular, 15, p.pal.ink}) // a box stands in for it
		boxes = p.texts
	}}
	b, err := drawPNG(l, palettes[Light])
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	inked := make([]int, len(boxes))
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if r, _, _, _ := img.At(x, y).RGBA(); r>>8 > 200 {
				continue
			}
			at := -1
			for i, b := range boxes {
				if float64(x)/2 >= b.x0-1 && float64(x)/2 <= b.x1+1 && float64(y)/2 >= b.y0-1 && float64(y)/2 <= b.y1+1 {
					at = i
				}
			}
			if at < 0 {
				t.Fatalf("ink at %v, %v pt outside of %+v", x/2, y/2, boxes)
			}
			inked[at]++
		}
	}
	if inked[0] < 500 || inked[1] < 20 {
		t.Errorf("%v dark pixels", inked)
	}
}
