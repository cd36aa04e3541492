package integration

import (
	"bytes"
	"image/color"
	"os"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// drawPicture draws when each message came back, in the real world beside the simulation, and when it would have without the others.
func drawPicture(t *testing.T, ours, theirs []attempt) {
	t.Helper()
	p := plot.New()
	for _, style := range []*draw.TextStyle{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		style.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: style.Font.Size}
	}
	p.Title.Padding = vg.Points(10)
	p.Legend.Padding = vg.Points(3)
	p.Title.Text = "200 messages, full jitter up to 8 s, one retry queue: when each comes back"
	p.X.Label.Text, p.Y.Label.Text = "seconds since the failure", "message, in the order in which they were published"
	asked, simulated, real := plotter.XYs{}, plotter.XYs{}, plotter.XYs{}
	for i := range theirs {
		y := float64(i)
		asked = append(asked, plotter.XY{X: (theirs[i].published + theirs[i].asked).Seconds(), Y: y})
		simulated = append(simulated, plotter.XY{X: ours[i].at.Seconds(), Y: y})
		real = append(real, plotter.XY{X: theirs[i].at.Seconds(), Y: y})
	}
	for _, s := range []struct {
		name   string
		points plotter.XYs
		style  draw.GlyphStyle
	}{
		{"its own wait is over", asked, draw.GlyphStyle{Color: color.Gray{0xb0}, Radius: vg.Points(1.5), Shape: draw.CircleGlyph{}}},
		{"it comes back, simulated", simulated, draw.GlyphStyle{Color: color.RGBA{0xd5, 0x5e, 0x00, 0xff}, Radius: vg.Points(3.5), Shape: draw.RingGlyph{}}},
		{"it comes back, RabbitMQ 3.10.8", real, draw.GlyphStyle{Color: color.RGBA{0x00, 0x72, 0xb2, 0xff}, Radius: vg.Points(1.5), Shape: draw.CircleGlyph{}}},
	} {
		scatter, err := plotter.NewScatter(s.points)
		if err != nil {
			t.Fatal(err)
		}
		scatter.GlyphStyle = s.style
		p.Add(scatter)
		p.Legend.Add(s.name, scatter)
	}
	p.Y.Min, p.Y.Max = 0, float64(len(theirs))*1.15 // room for the legend
	p.Legend.Top, p.Legend.Left = true, true
	canvas := vgimg.NewWith(vgimg.UseWH(9*vg.Inch, 5*vg.Inch), vgimg.UseDPI(144), vgimg.UseBackgroundColor(color.White))
	const margin = 14
	p.Draw(draw.Crop(draw.New(canvas), margin, -margin, margin, -margin))
	var picture bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&picture); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("../docs/broker-real.png", picture.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
