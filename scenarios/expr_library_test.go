package scenarios

import (
	"math"
	"testing"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
	"pgregory.net/rapid"

	"herdsim/strategies"
)

// The library's own compiler and machine, for the same formulas.

func libraryEnv(a strategies.Attempt, u float64, base, limit time.Duration) map[string]any {
	one := func(f func(float64) float64) func(any) float64 {
		return func(x any) float64 { return f(float(x)) }
	}
	env := map[string]any{}
	for v := range variables {
		env[variableNames[v]] = v.of(&a, u)
	}
	env["base"], env["cap"] = base.Seconds(), limit.Seconds()
	for _, f := range functions {
		if f.f != nil {
			env[f.name] = one(f.f)
		}
	}
	env["pow"] = func(x, y any) float64 { return math.Pow(float(x), float(y)) }
	env["min"] = func(x, y any) float64 { return min(float(x), float(y)) } // the library's forgets a NaN
	env["max"] = func(x, y any) float64 { return max(float(x), float(y)) }
	env["mod"] = func(x, y any) float64 { return math.Mod(float(x), float(y)) }
	return env
}

func float(x any) float64 {
	if n, ok := x.(int); ok {
		return float64(n)
	}
	return x.(float64)
}

func drawFormula(t *rapid.T, depth int) string {
	if depth == 0 {
		return rapid.SampledFrom([]string{"n", "retry", "base", "cap", "prev", "slept", "u", "elapsed", "worker", "2.5", "3.0", "0.125"}).Draw(t, "leaf")
	}
	part := func() string { return drawFormula(t, depth-1) }
	return rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 5).Draw(t, "shape") {
		case 0:
			return rapid.SampledFrom([]string{"abs", "floor", "ceil", "sqrt", "exp", "sin", "log2"}).Draw(t, "f") + "(" + part() + ")"
		case 1:
			return rapid.SampledFrom([]string{"min", "max", "pow", "mod"}).Draw(t, "f") + "(" + part() + ", " + part() + ")"
		case 2:
			compare := rapid.SampledFrom([]string{"<", "<=", ">", ">=", "==", "!="}).Draw(t, "compare")
			return "(" + part() + " " + compare + " " + part() + " ? " + part() + " : " + part() + ")"
		case 3:
			return "-" + part()
		case 4:
			return "(let x" + string(rune('a'+depth)) + " = " + part() + "; x" + string(rune('a'+depth)) + " * " + part() + ")"
		}
		return "(" + part() + " " + rapid.SampledFrom([]string{"+", "-", "*", "/", "**"}).Draw(t, "op") + " " + part() + ")"
	}).Draw(t, "part")
}

// Both machines give the same seconds, to the last bit.
func TestExprMeetsTheLibrary(t *testing.T) {
	const base, limit, u = 100 * time.Millisecond, time.Minute, 0.3
	rapid.Check(t, func(t *rapid.T) {
		formula := drawFormula(t, rapid.IntRange(0, 4).Draw(t, "depth"))
		f, fault := compileExpr(formula, base, limit)
		if fault != nil {
			return // too long, or too many parts
		}
		env := libraryEnv(someAttempt, u, base, limit)
		p, err := expr.Compile(formula, expr.Env(env), expr.Optimize(false))
		if err != nil {
			t.Fatalf("%s\n%v", formula, err)
		}
		out, err := expr.Run(p, env)
		if err != nil {
			t.Fatalf("%s\n%v", formula, err)
		}
		got, want := f.code.run(&someAttempt, u), float(out)
		if got != want && !(got != got && want != want) {
			t.Fatalf("%s = %v, want %v", formula, got, want)
		}
	})
}

const benchmarked = "min(cap, base * 2 ** n) * u"

func BenchmarkExpr(b *testing.B) {
	f := mustExpr(b, benchmarked, time.Second, time.Minute)
	b.ReportAllocs()
	for b.Loop() {
		f.Wait(someAttempt, 0.5)
	}
}

// What the library's machine would take, kept and used again, with nothing to fill in.
func BenchmarkExprLibrary(b *testing.B) {
	env := libraryEnv(someAttempt, 0.5, time.Second, time.Minute)
	p, err := expr.Compile(benchmarked, expr.Env(env))
	if err != nil {
		b.Fatal(err)
	}
	var machine vm.VM
	b.ReportAllocs()
	for b.Loop() {
		if _, err := machine.Run(p, env); err != nil {
			b.Fatal(err)
		}
	}
}
