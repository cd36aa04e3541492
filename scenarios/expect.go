package scenarios

// An Expectation is one checked line of expect.
type Expectation struct {
	Line string // as written
}
