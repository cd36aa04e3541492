package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	exprfile "github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"herdsim/strategies"
)

// Limits of a formula. Those of the machine, mostStack and mostLocals, are others.
const (
	longestFormula = 1000 // characters
	mostExprNodes  = 300
	mostExprCode   = 1000 // instructions
)

// An exprFault is the first thing that is wrong with a formula, and where.
type exprFault struct {
	at                           int // in characters of the formula, from 0
	message, allowed, suggestion string
}

// compileExpr turns a formula into a strategy, or says what is wrong with it.
func compileExpr(formula string, base, limit time.Duration) (*Expr, *exprFault) {
	switch n := utf8.RuneCountInString(formula); {
	case strings.TrimSpace(formula) == "":
		return nil, &exprFault{message: "the formula is empty", allowed: "a number of seconds, such as min(cap, base * 2 ** n) * u"}
	case n > longestFormula:
		return nil, &exprFault{message: fmt.Sprintf("the formula is %d characters long", n), allowed: fmt.Sprintf("at most %d", longestFormula)}
	}
	text := inSeconds(formula)
	c := exprCompiler{text: text, f: &Expr{Formula: formula, Base: base, Cap: limit, cuts: &Cuts{}}}
	root, fault := parseExpr(text)
	if fault != nil && fault.message == endsEarly { // the place behind the last character says more than the last word
		fault.at = utf8.RuneCountInString(strings.TrimRight(formula, " \t\n"))
	}
	if fault == nil && c.node(root, 1) != isNumber && c.fault == nil {
		c.fail(root, "the formula is true or false", "a number of seconds", "")
	}
	if fault = cmp.Or(fault, c.fault); fault != nil {
		return nil, fault
	}
	c.f.code = slices.Clip(c.code)
	return c.f, nil
}

// parseExpr has the library read a formula. Its functions are all left out: some of them loop, and ours are fewer.
func parseExpr(text mapped) (root ast.Node, fault *exprFault) {
	defer func() {
		if r := recover(); r != nil { // a bug of the library must not end the program
			root, fault = nil, &exprFault{message: fmt.Sprintf("the formula cannot be read: %v", r)}
		}
	}()
	config := conf.CreateNew()
	config.MaxNodes = mostExprNodes
	for name := range config.Builtins {
		config.Disabled[name] = true
	}
	tree, err := parser.ParseWithConfig(text.text, config)
	if err == nil {
		return tree.Node, nil
	}
	fault = &exprFault{message: err.Error(), allowed: "a formula such as min(cap, base * 2 ** n) * u"}
	var at *exprfile.Error
	if errors.As(err, &at) {
		fault.at, fault.message = text.back(at.From), plainMessage(at.Message)
		if strings.HasPrefix(fault.message, "bad number") {
			fault.message, fault.allowed = "no number and no duration", "such as 1.5, 1e3, 100ms or 1m30s"
		}
	}
	return nil, fault
}

const endsEarly = "the formula ends too early"

// plainMessage puts a message of the library into the words of this program.
func plainMessage(message string) string {
	switch {
	case strings.HasPrefix(message, "unexpected token EOF"), strings.HasPrefix(message, "unexpected end"):
		return endsEarly
	case strings.Contains(message, "maximum allowed nodes"):
		return fmt.Sprintf("the formula has more than %d parts", mostExprNodes)
	}
	if token, ok := strings.CutPrefix(message, "unexpected token "); ok {
		if _, value, ok := strings.Cut(token, `("`); ok {
			return "unexpected " + quote(strings.TrimSuffix(value, `")`))
		}
		return "unexpected " + token
	}
	message, _, _ = strings.Cut(message, "\n")
	if first, size := utf8.DecodeRuneInString(message); size < len(message) && first < utf8.RuneSelf {
		return strings.ToLower(message[:size]) + message[size:]
	}
	return message
}

// An exprType is what a part of a formula gives.
type exprType uint8

const (
	isNothing exprType = iota // there is a fault
	isNumber
	isTruth
)

func (t exprType) String() string { return [...]string{"nothing", "a number", "true or false"}[t] }

// An exprCompiler walks a tree and writes the program, up to the first fault.
type exprCompiler struct {
	text   mapped
	f      *Expr
	code   program
	locals []exprLocal // those in scope; their index is their place
	fault  *exprFault
}

type exprLocal struct {
	name string
	kind exprType
}

func (c *exprCompiler) fail(n ast.Node, message, allowed, suggestion string) exprType {
	if c.fault == nil {
		c.fault = &exprFault{at: c.text.back(n.Location().From), message: message, allowed: allowed, suggestion: suggestion}
	}
	return isNothing
}

func (c *exprCompiler) emit(op opcode, arg int) int {
	c.code = append(c.code, instruction{op: op, arg: arg})
	return len(c.code) - 1
}

func (c *exprCompiler) constant(x float64) exprType {
	c.code = append(c.code, instruction{op: opConstant, x: x})
	return isNumber
}

// node compiles n, of which the value will lie at the given height of the stack, from 1.
func (c *exprCompiler) node(n ast.Node, height int) exprType {
	if c.fault != nil {
		return isNothing
	}
	if height > mostStack {
		return c.fail(n, "the formula is nested too deep", fmt.Sprintf("at most %d values that wait for each other", mostStack), "")
	}
	if len(c.code) > mostExprCode { // in a ?: b the library has a twice, and what is in it four times, and so on
		return c.fail(n, "the formula is too long", fmt.Sprintf("at most %d operations", mostExprCode), "")
	}
	switch n := n.(type) {
	case *ast.IntegerNode:
		return c.constant(float64(n.Value))
	case *ast.FloatNode:
		return c.constant(n.Value)
	case *ast.BoolNode:
		c.constant(truth(n.Value))
		return isTruth
	case *ast.IdentifierNode:
		return c.name(n)
	case *ast.UnaryNode:
		return c.unary(n, height)
	case *ast.BinaryNode:
		return c.binary(n, height)
	case *ast.ConditionalNode:
		return c.conditional(n, height)
	case *ast.VariableDeclaratorNode:
		return c.let(n, height)
	case *ast.CallNode:
		if callee, ok := n.Callee.(*ast.IdentifierNode); ok {
			return c.call(n, callee.Value, n.Arguments, height)
		}
	case *ast.BuiltinNode:
		return c.call(n, n.Name, nil, height)
	}
	return c.fail(n, "this is no arithmetic", "numbers, durations, names, operators, functions, conditions and let", "")
}

func (c *exprCompiler) name(n *ast.IdentifierNode) exprType {
	for i, local := range slices.Backward(c.locals) {
		if local.name == n.Value {
			c.emit(opLocal, i)
			return local.kind
		}
	}
	v := variable(slices.Index(variableNames[:], n.Value))
	if v < 0 {
		if slices.Contains(functionNames(), n.Value) {
			return c.fail(n, quote(n.Value)+" is a function", n.Value+"(…)", "")
		}
		return c.fail(n, "unknown name "+quote(n.Value), "one of "+strings.Join(c.names(), ", "), near(n.Value, c.names()))
	}
	c.f.reads[v] = true
	switch v {
	case varBase:
		return c.constant(c.f.Base.Seconds())
	case varCap:
		if c.f.Cap > 0 {
			return c.constant(c.f.Cap.Seconds())
		}
		return c.constant(strategies.NoBound.Seconds())
	}
	c.emit(opVariable, int(v))
	return isNumber
}

// names are the names that a formula may use here.
func (c *exprCompiler) names() []string {
	names := slices.Clone(variableNames[:])
	for _, local := range c.locals {
		names = append(names, local.name)
	}
	return names
}

// want compiles n and demands its type.
func (c *exprCompiler) want(n ast.Node, kind exprType, height int, whose string) {
	if got := c.node(n, height); got != kind && c.fault == nil {
		c.fail(n, fmt.Sprintf("%s is %s", whose, got), kind.String(), "")
	}
}

func (c *exprCompiler) unary(n *ast.UnaryNode, height int) exprType {
	switch n.Operator {
	case "-", "+":
		c.want(n.Node, isNumber, height, "what stands behind "+n.Operator)
		if n.Operator == "-" {
			c.emit(opNegate, 0)
		}
		return isNumber
	}
	c.want(n.Node, isTruth, height, "what stands behind "+n.Operator)
	c.emit(opNot, 0)
	return isTruth
}

// An operator takes two values of one type.
type operator struct {
	op       opcode
	of, give exprType
	swapped  bool
}

var operators = map[string]operator{
	"+": {opAdd, isNumber, isNumber, false}, "-": {opSubtract, isNumber, isNumber, false},
	"*": {opMultiply, isNumber, isNumber, false}, "/": {opDivide, isNumber, isNumber, false},
	"%":  {opModulo, isNumber, isNumber, false},
	"**": {opPower, isNumber, isNumber, false}, "^": {opPower, isNumber, isNumber, false},
	"<": {opLess, isNumber, isTruth, false}, "<=": {opLessEqual, isNumber, isTruth, false},
	">": {opLess, isNumber, isTruth, true}, ">=": {opLessEqual, isNumber, isTruth, true},
	"==": {opEqual, isNumber, isTruth, false}, "!=": {opUnequal, isNumber, isTruth, false},
	"and": {opAnd, isTruth, isTruth, false}, "&&": {opAnd, isTruth, isTruth, false},
	"or": {opOr, isTruth, isTruth, false}, "||": {opOr, isTruth, isTruth, false},
}

func (c *exprCompiler) binary(n *ast.BinaryNode, height int) exprType {
	o, ok := operators[n.Operator]
	if !ok {
		return c.fail(n, "the operator "+quote(n.Operator)+" is not allowed here", "one of + - * / % ** < <= > >= == != and or not, and a ? b : c", "")
	}
	first, second := n.Left, n.Right
	if o.swapped {
		first, second = second, first
	}
	c.want(first, o.of, height, "an operand of "+n.Operator)
	c.want(second, o.of, height+1, "an operand of "+n.Operator)
	c.emit(o.op, 0)
	return o.give
}

func (c *exprCompiler) conditional(n *ast.ConditionalNode, height int) exprType {
	c.want(n.Cond, isTruth, height, "the condition")
	toElse := c.emit(opJumpIfFalse, 0)
	kind := c.node(n.Exp1, height)
	toEnd := c.emit(opJump, 0)
	c.code[toElse].arg = len(c.code)
	c.want(n.Exp2, kind, height, "the other branch")
	c.code[toEnd].arg = len(c.code)
	return kind
}

// let gives a value a name: let d = min(cap, base * 2 ** n); d / 2 + u * d / 2.
func (c *exprCompiler) let(n *ast.VariableDeclaratorNode, height int) exprType {
	switch taken := append(functionNames(), c.names()...); {
	case slices.Contains(taken, n.Name):
		return c.fail(n, "the name "+quote(n.Name)+" is taken", "a name of its own", "")
	case len(c.locals) == mostLocals:
		return c.fail(n, "there are too many let", fmt.Sprintf("at most %d at once", mostLocals), "")
	}
	kind := c.node(n.Value, height)
	c.emit(opStore, len(c.locals))
	c.locals = append(c.locals, exprLocal{n.Name, kind})
	result := c.node(n.Expr, height)
	c.locals = c.locals[:len(c.locals)-1]
	return result
}

func (c *exprCompiler) call(n ast.Node, name string, arguments []ast.Node, height int) exprType {
	i := slices.IndexFunc(functions, func(f function) bool { return f.name == name })
	if i < 0 {
		return c.fail(n, "unknown function "+quote(name), "one of "+strings.Join(functionNames(), ", "), near(name, functionNames()))
	}
	f := functions[i]
	if len(arguments) < f.least || f.most > 0 && len(arguments) > f.most {
		allowed := map[bool]string{true: name + " of one number", false: fmt.Sprintf("%s of %d numbers", name, f.least)}[f.least == 1]
		if f.most == 0 {
			allowed = name + " of at least one number"
		}
		return c.fail(n, fmt.Sprintf("%s of %d numbers", name, len(arguments)), allowed, "")
	}
	for j, argument := range arguments {
		c.want(argument, isNumber, height+min(j, 1), "an argument of "+name)
		switch {
		case f.f != nil:
			c.emit(opCall, i)
		case j > 0:
			c.emit(f.op, 0)
		}
	}
	return isNumber
}
