// Herdsim simulates thundering herds: what each retry strategy does to a downstream of limited capacity.
package main

func main() {}
