package sim

// ReplicateSeed returns the seed of replicate r >= 1 of a scenario: the scenario's own for r = 1, else one mixed from
// (seed, r).
func ReplicateSeed(seed uint64, r int) uint64 {
	if r <= 1 {
		return seed
	}
	return mix64(mix64(seed+golden) ^ uint64(r)*oddA)
}
