// Package oracles runs the real libraries against herdsim's presets and guards, in tests only. It is a module of its own,
// so that neither the binary nor who builds it depends on them.
//
// Waits are compared with the law of the preset: constants to the nanosecond, the others by the largest distance between
// the distribution of the draws and ours, and by their bounds. Guards and the real thing get the same calls and outcomes at
// the same instants, under virtual time, and must give the same answer to each.
//
// The libraries draw from generators that cannot be seeded, with few exceptions. Every bound is therefore that of the
// Dvoretzky-Kiefer-Wolfowitz inequality, which holds for any law and any number of draws, at 1e-9 a comparison: with all
// comparisons together a run gives a false alarm less than once in a million.
//
// When a dependency of the main module changes, run make tidy.
package oracles
