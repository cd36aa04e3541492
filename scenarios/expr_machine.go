package scenarios

import (
	"math"

	"herdsim/strategies"
)

// A program is a formula for a machine with a stack of floats; truth is 1, untruth 0. It only ever jumps forward, so it
// ends. The library's own machine keeps its values in interfaces and allocates most of them: it takes five times as
// long (BenchmarkExprLibrary), and each run would need one of its own.
type program []instruction

type instruction struct {
	op  opcode
	arg int     // of opVariable, opLocal, opStore, opCall and the jumps
	x   float64 // of opConstant
}

type opcode uint8

const (
	opConstant opcode = iota
	opVariable
	opLocal // of let
	opStore
	opNegate
	opNot
	opAdd
	opSubtract
	opMultiply
	opDivide
	opModulo
	opPower
	opMin
	opMax
	opLess
	opLessEqual
	opEqual
	opUnequal
	opAnd
	opOr
	opCall             // a function of one number
	opJumpIfFalse      // forward, to instruction arg
	opJump             // likewise
	mostStack     = 32 // values at once
	mostLocals    = 8  // variables of let
)

// run returns what the program gives for an attempt.
func (p program) run(a *strategies.Attempt, u float64) float64 {
	var stack [mostStack]float64
	var locals [mostLocals]float64
	next := uint(0) // place of the stack; the compiler sees to it that there is one
	for i := 0; i < len(p); i++ {
		in := &p[i]
		switch in.op {
		case opConstant:
			stack[next%mostStack] = in.x
			next++
		case opVariable:
			stack[next%mostStack] = variable(in.arg).of(a, u)
			next++
		case opLocal:
			stack[next%mostStack] = locals[uint(in.arg)%mostLocals]
			next++
		case opStore:
			next--
			locals[uint(in.arg)%mostLocals] = stack[next%mostStack]
		case opJumpIfFalse:
			next--
			if stack[next%mostStack] == 0 {
				i = in.arg - 1
			}
		case opJump:
			i = in.arg - 1
		case opNegate, opNot, opCall:
			stack[(next-1)%mostStack] = in.one(stack[(next-1)%mostStack])
		default:
			next--
			stack[(next-1)%mostStack] = in.two(stack[(next-1)%mostStack], stack[next%mostStack])
		}
	}
	return stack[0]
}

// one returns what an instruction makes of one value.
func (in *instruction) one(x float64) float64 {
	switch in.op {
	case opNegate:
		return -x
	case opNot:
		return 1 - x
	}
	return functions[in.arg].f(x)
}

// two returns what an instruction makes of two values.
func (in *instruction) two(x, y float64) float64 {
	switch in.op {
	case opAdd:
		return x + y
	case opSubtract:
		return x - y
	case opMultiply:
		return x * y
	case opDivide:
		return x / y
	case opModulo:
		return math.Mod(x, y)
	case opPower:
		return math.Pow(x, y)
	case opMin, opAnd:
		return min(x, y)
	case opMax, opOr:
		return max(x, y)
	case opLess:
		return truth(x < y)
	case opLessEqual:
		return truth(x <= y)
	case opEqual:
		return truth(x == y)
	}
	return truth(x != y)
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// A variable is a name that a formula may use.
type variable int

const (
	varN variable = iota
	varRetry
	varBase
	varCap
	varPrev
	varSlept
	varRetryAfter
	varU
	varElapsed
	varNow
	varWorker
	variables
)

// variableNames are as in the documentation; times are in seconds.
var variableNames = [variables]string{
	varN: "n", varRetry: "retry", varBase: "base", varCap: "cap", varPrev: "prev", varSlept: "slept",
	varRetryAfter: "retry_after", varU: "u", varElapsed: "elapsed", varNow: "now", varWorker: "worker",
}

// of returns the value at an attempt. base and cap are constants of the program, and never asked for here.
func (v variable) of(a *strategies.Attempt, u float64) float64 {
	switch v {
	case varN:
		return float64(max(a.SinceReset-1, 0))
	case varRetry:
		return float64(a.Retry)
	case varPrev:
		if a.SinceReset <= 1 { // after a reset a client begins anew
			return 0
		}
		return a.Previous.Seconds()
	case varSlept:
		return a.Slept.Seconds()
	case varRetryAfter:
		return a.RetryAfter.Seconds()
	case varElapsed:
		return a.Elapsed.Seconds()
	case varNow:
		return a.Now.Seconds()
	case varWorker:
		return float64(a.Worker)
	}
	return u
}

// A function of a formula takes one number, unless op says how two are combined.
type function struct {
	name  string
	f     func(float64) float64
	op    opcode // opMin and opMax take any number of numbers, opPower and opModulo two
	least int    // numbers
	most  int    // 0 for any number
}

var functions = []function{
	{name: "min", op: opMin, least: 1},
	{name: "max", op: opMax, least: 1},
	{name: "pow", op: opPower, least: 2, most: 2},
	{name: "mod", op: opModulo, least: 2, most: 2},
	{name: "abs", f: math.Abs, least: 1, most: 1},
	{name: "floor", f: math.Floor, least: 1, most: 1},
	{name: "ceil", f: math.Ceil, least: 1, most: 1},
	{name: "round", f: math.Round, least: 1, most: 1},
	{name: "exp", f: math.Exp, least: 1, most: 1},
	{name: "log", f: math.Log, least: 1, most: 1},
	{name: "log2", f: math.Log2, least: 1, most: 1},
	{name: "log10", f: math.Log10, least: 1, most: 1},
	{name: "sqrt", f: math.Sqrt, least: 1, most: 1},
	{name: "sin", f: math.Sin, least: 1, most: 1},
	{name: "cos", f: math.Cos, least: 1, most: 1},
	{name: "tan", f: math.Tan, least: 1, most: 1},
}

func functionNames() []string {
	names := make([]string, len(functions))
	for i, f := range functions {
		names[i] = f.name
	}
	return names
}
