package figures

import (
	"image/color"
	"math"
)

// A stop is a colour at a place of a ramp.
type stop struct {
	at    float64
	color color.RGBA
}

// A ramp is a scale of colours. Between two stops it is straight in OKLab, so that equal steps look equal.
//
// Source: B. Ottosson, "A perceptual color space for image processing", 2020.
type ramp []stop

// color returns the colour at x; beyond its ends the ramp stays as it is there.
func (r ramp) color(x float64) color.RGBA {
	last := len(r) - 1
	if !(x > r[0].at) {
		return r[0].color
	}
	for i := 1; i <= last; i++ {
		if a, b := r[i-1], r[i]; x < b.at {
			share := (x - a.at) / (b.at - a.at)
			p, q := oklab(a.color), oklab(b.color)
			for k := range p {
				p[k] += share * (q[k] - p[k])
			}
			return fromOKLab(p)
		}
	}
	return r[last].color
}

func oklab(c color.RGBA) [3]float64 {
	r, g, b := toLinear(c.R), toLinear(c.G), toLinear(c.B)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

func fromOKLab(c [3]float64) color.RGBA {
	cube := func(x float64) float64 { return x * x * x }
	l := cube(c[0] + 0.3963377774*c[1] + 0.2158037573*c[2])
	m := cube(c[0] - 0.1055613458*c[1] - 0.0638541728*c[2])
	s := cube(c[0] - 0.0894841775*c[1] - 1.2914855480*c[2])
	return color.RGBA{
		fromLinear(4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		fromLinear(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		fromLinear(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s),
		0xFF,
	}
}

// toLinear undoes the gamma of sRGB.
func toLinear(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// fromLinear applies it.
func fromLinear(x float64) uint8 {
	if x = clamp(x, 0, 1); x <= 0.0031308 {
		x *= 12.92
	} else {
		x = 1.055*math.Pow(x, 1/2.4) - 0.055
	}
	return uint8(math.Round(255 * x))
}

// contrast returns the ratio of luminances as WCAG 2.1 has it, from 1 to 21.
func contrast(a, b color.RGBA) float64 {
	luminance := func(c color.RGBA) float64 {
		return 0.2126*toLinear(c.R) + 0.7152*toLinear(c.G) + 0.0722*toLinear(c.B) + 0.05
	}
	x, y := luminance(a), luminance(b)
	return math.Max(x, y) / math.Min(x, y)
}

// upon returns the one of two colours of text that stands out more on c.
func upon(c, a, b color.RGBA) color.RGBA {
	if contrast(b, c) > contrast(a, c) {
		return b
	}
	return a
}
