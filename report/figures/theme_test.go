package figures

import (
	"fmt"
	"image/color"
	"math"
	"testing"

	"herdsim/strategies"
)

// Colours of one kind can be told apart, by normal sight and by each kind of dichromacy. Of the latter, colours that
// lie in no order (lines have dashes beside) may be closer.
func TestColoursKeepApart(t *testing.T) {
	for theme, p := range palettes {
		outcomes := map[string]color.RGBA{"failure": p.failure}
		for o := range strategies.Outcomes {
			outcomes[outcomeWords[o]] = p.outcomes[o]
		}
		lines := map[string]color.RGBA{}
		for i, c := range p.lines {
			lines[fmt.Sprint("line ", i)] = c
		}
		for sight := range sights {
			want := 16.0
			if sight == normal {
				want = 20
			}
			checkApart(t, theme, sight, outcomes, want)
			for o, c := range p.outcomes { // the failure itself is meant to stand back
				checkApart(t, theme, sight, map[string]color.RGBA{"background": p.background, outcomeWords[o]: c}, want)
			}
			checkApart(t, theme, sight, lines, 11)
			checkOpen(t, theme, sight, p)
		}
		for o, c := range p.outcomes {
			if r := contrast(c, p.background); theme == Dark && r < 3 { // WCAG 2.1, of what is no text
				t.Errorf("%s: %s on the background has a contrast of %.1f, want 3", theme, outcomeWords[o], r)
			}
		}
		for name, c := range map[string]color.RGBA{"ink": p.ink, "soft": p.soft, "faint": p.faint, "warm": p.warm} {
			if r := contrast(c, p.background); r < 4.5 { // WCAG 2.1, level AA
				t.Errorf("%s: %s on the background has a contrast of %.1f, want 4.5", theme, name, r)
			}
		}
	}
}

// checkOpen holds the colour of open breakers against all that may be near it.
func checkOpen(t *testing.T, theme Theme, sight int, p *palette) {
	t.Helper()
	want := 14.0
	if sight == normal {
		want = 20
	}
	others := append([]color.RGBA{p.background, p.failure, p.band, p.faint}, p.outcomes[:]...)
	for _, c := range others {
		if d := ciede2000(lab(p.open, sight), lab(c, sight)); d < want {
			t.Errorf("%s, %s: an open breaker is %.1f from %v, want %v", theme, sightNames[sight], d, c, want)
		}
	}
}

func checkApart(t *testing.T, theme Theme, sight int, cs map[string]color.RGBA, want float64) {
	t.Helper()
	for a, ca := range cs {
		for b, cb := range cs {
			if d := ciede2000(lab(ca, sight), lab(cb, sight)); a < b && d < want {
				t.Errorf("%s, %s: %s and %s are %.1f apart, want %v", theme, sightNames[sight], a, b, d, want)
			}
		}
	}
}

// Pairs 1, 7, 17 and 25 of the test data of Sharma, Wu, Dalal, "The CIEDE2000 color-difference formula", Color Research
// and Application 30 (2005).
func TestCIEDE2000(t *testing.T) {
	for _, c := range []struct {
		a, b [3]float64
		want float64
	}{
		{[3]float64{50, 2.6772, -79.7751}, [3]float64{50, 0, -82.7485}, 2.0425},
		{[3]float64{50, 0, 0}, [3]float64{50, -1, 2}, 2.3669},
		{[3]float64{50, 2.5, 0}, [3]float64{73, 25, -18}, 27.1492},
		{[3]float64{60.2574, -34.0099, 36.2677}, [3]float64{60.4626, -34.1751, 39.4387}, 1.2644},
	} {
		if got := ciede2000(c.a, c.b); math.Abs(got-c.want) > 5e-5 {
			t.Errorf("ΔE00(%v, %v) = %.4f, want %.4f", c.a, c.b, got, c.want)
		}
	}
}

const normal = 0

var sightNames = []string{"normal sight", "protanopia", "deuteranopia", "tritanopia"}

// sights are matrices on linear RGB: Machado, Oliveira, Fernandes, "A physiologically-based model for simulation of
// color vision deficiency", IEEE TVCG 15 (2009), severity 1.
var sights = [][9]float64{
	{1, 0, 0, 0, 1, 0, 0, 0, 1},
	{0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
	{0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
	{1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
}

func lab(c color.RGBA, sight int) [3]float64 {
	l := [3]float64{toLinear(c.R), toLinear(c.G), toLinear(c.B)}
	var s [3]float64
	for i := range s {
		m := sights[sight][3*i:]
		s[i] = clamp(m[0]*l[0]+m[1]*l[1]+m[2]*l[2], 0, 1)
	}
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124564*s[0] + 0.3575761*s[1] + 0.1804375*s[2]) / 0.95047)
	y := f(0.2126729*s[0] + 0.7151522*s[1] + 0.0721750*s[2])
	z := f((0.0193339*s[0] + 0.1191920*s[1] + 0.9503041*s[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// ciede2000 returns the distance of two colours in CIELAB (Sharma, Wu, Dalal 2005).
func ciede2000(p, q [3]float64) float64 {
	const rad = math.Pi / 180
	pow7 := func(x float64) float64 { x7 := math.Pow(x, 7); return math.Sqrt(x7 / (x7 + math.Pow(25, 7))) }
	g := 0.5 * (1 - pow7((math.Hypot(p[1], p[2])+math.Hypot(q[1], q[2]))/2))
	polar := func(c [3]float64) (chroma, hue float64) {
		a := c[1] * (1 + g)
		hue = math.Atan2(c[2], a) / rad
		if hue < 0 {
			hue += 360
		}
		return math.Hypot(a, c[2]), hue
	}
	c1, h1 := polar(p)
	c2, h2 := polar(q)
	dh, hm := h2-h1, h1+h2
	switch {
	case c1*c2 == 0:
		dh = 0
	case math.Abs(h1-h2) <= 180:
		hm /= 2
	case h2 <= h1:
		dh, hm = dh+360, math.Mod(hm+360, 720)/2
	default:
		dh, hm = dh-360, math.Mod(hm+360, 720)/2
	}
	dL, dC, dH := q[0]-p[0], c2-c1, 2*math.Sqrt(c1*c2)*math.Sin(dh/2*rad)
	lm, cm := (p[0]+q[0])/2, (c1+c2)/2
	t := 1 - 0.17*math.Cos((hm-30)*rad) + 0.24*math.Cos(2*hm*rad) + 0.32*math.Cos((3*hm+6)*rad) - 0.20*math.Cos((4*hm-63)*rad)
	l50 := (lm - 50) * (lm - 50)
	dL /= 1 + 0.015*l50/math.Sqrt(20+l50)
	dC /= 1 + 0.045*cm
	dH /= 1 + 0.015*cm*t
	rt := -2 * pow7(cm) * math.Sin(60*rad*math.Exp(-math.Pow((hm-275)/25, 2)))
	return math.Sqrt(dL*dL + dC*dC + dH*dH + rt*dC*dH)
}
