package figures

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// drawPNG draws l as a PNG of 144 dpi.
func drawPNG(l layout, pal *palette) ([]byte, error) {
	c := vgimg.NewWith(vgimg.UseWH(pageWidth, vg.Length(l.height)), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(pal.background))
	img := c.Image().(*image.RGBA)
	l.draw(&page{canvas: &pngCanvas{Canvas: c, img: img}, height: l.height, pal: pal})

	var out bytes.Buffer
	if err := png.Encode(&out, indexed(img)); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// pngCanvas is a vgimg.Canvas that sets text by itself: without kerning, as text is measured here, and ten times as
// fast because no glyph is resampled.
type pngCanvas struct {
	*vgimg.Canvas
	img   *image.RGBA
	color color.RGBA
	faces map[font.Font]xfont.Face
}

func (c *pngCanvas) SetColor(col color.Color) {
	c.color = color.RGBAModel.Convert(col).(color.RGBA)
	c.Canvas.SetColor(col)
}

func (c *pngCanvas) FillString(f font.Face, pt vg.Point, s string) {
	face := c.faces[f.Font]
	if face == nil {
		face = f.FontFace(dpi)
		if c.faces == nil {
			c.faces = map[font.Font]xfont.Face{}
		}
		c.faces[f.Font] = face
	}
	t := regular
	if f.Font.Weight == xfont.WeightBold {
		t = bold
	}
	x := pt.X.Dots(dpi)
	y := float64(c.img.Rect.Dy()) - pt.Y.Dots(dpi)
	src := image.NewUniform(c.color)
	for _, r := range s {
		dot := fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(y * 64)}
		glyph := r
		if r >= 128 && !t.has(r) {
			glyph = unknown
		}
		if at, mask, from, _, ok := face.Glyph(dot, glyph); ok {
			draw.DrawMask(c.img, at, src, image.Point{}, mask, from, draw.Over)
		}
		x += t.width(string(r), f.Font.Size.Dots(dpi))
	}
}

// indexed returns img with a palette. Up to 256 colours it is exact; of more it keeps the most frequent, and edges of
// letters and lines take the nearest of them. That makes the file half as large and its encoding three times as fast.
func indexed(img *image.RGBA) *image.Paletted {
	counts := map[uint32]int{}
	each(img, func(c uint32, from, to int) { counts[c] += to - from })

	colours := make([]uint32, 0, len(counts))
	for c := range counts {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	kept, index := reduce(colours)

	out := image.NewPaletted(img.Rect, make(color.Palette, len(kept)))
	places := make(map[uint32]uint8, len(colours))
	for i, c := range colours {
		places[c] = index[i]
	}
	for i, c := range kept {
		out.Palette[i] = color.RGBA{uint8(c), uint8(c >> 8), uint8(c >> 16), 0xFF}
	}
	each(img, func(c uint32, from, to int) {
		if k := places[c]; k != 0 {
			run := out.Pix[from:to]
			for i := range run {
				run[i] = k
			}
		}
	})
	return out
}

// reduce keeps at most 256 of the colours, which come in order of frequency, and returns for each the index of the one
// that stands for it: the first 128, and then again and again the one that is worst represented.
func reduce(colours []uint32) (kept []uint32, index []uint8) {
	const most, frequent = 256, 128
	index = make([]uint8, len(colours))
	errs := make([]int, len(colours))
	for i := range errs {
		errs[i] = 1 << 30
	}
	for next := 0; len(kept) < min(most, len(colours)); {
		kept = append(kept, colours[next])
		last := uint8(len(kept) - 1)
		worst := 0
		for i, c := range colours {
			if e := distance(c, kept[last]); e < errs[i] {
				errs[i], index[i] = e, last
			}
			if errs[i] > errs[worst] {
				worst = i
			}
		}
		next = worst
		if len(kept) < frequent {
			next = min(len(kept), len(colours)-1)
		}
	}
	return kept, index
}

// distance returns the squared distance of two colours.
func distance(a, b uint32) int {
	d := 0
	for s := 0; s < 24; s += 8 {
		e := int(a>>s&0xFF) - int(b>>s&0xFF)
		d += e * e
	}
	return d
}

// each calls f for every run of pixels of one colour, which is 0xBBGGRR.
func each(img *image.RGBA, f func(c uint32, from, to int)) {
	pix := img.Pix
	at := func(i int) uint32 {
		return uint32(pix[4*i]) | uint32(pix[4*i+1])<<8 | uint32(pix[4*i+2])<<16
	}
	n := len(pix) / 4
	for from := 0; from < n; {
		c, to := at(from), from+1
		for to < n && at(to) == c {
			to++
		}
		f(c, from, to)
		from = to
	}
}
