package main

import "testing"

func TestOnlyRanOut_LetsNoFindingThrough(t *testing.T) {
	const progress = "fuzz: elapsed: 10s, execs: 358727 (34823/sec), new interesting: 0 (total: 32)\n"
	cases := []struct {
		name, output string
		want         bool
	}{
		{"deadline alone", progress + "--- FAIL: FuzzParse (10.13s)\n    context deadline exceeded\nFAIL\nexit status 1\n", true},
		{"a finding", progress + "--- FAIL: FuzzParse (3.13s)\n    --- FAIL: FuzzParse (0.00s)\n        x_test.go:9: got 1\n    \n    Failing input written to testdata/fuzz/FuzzParse/1\nFAIL\n", false},
		{"a finding at the end of the time", progress + "--- FAIL: FuzzParse (10.13s)\n    context deadline exceeded\nFAIL\nFailing input written to testdata/fuzz/FuzzParse/1\n", false},
		{"a panic", "panic: index out of range\n--- FAIL: FuzzParse (10.13s)\n    context deadline exceeded\nFAIL\n", false},
		{"the target's own deadline", "--- FAIL: FuzzParse (1.13s)\n    x_test.go:9: context deadline exceeded\nFAIL\n", false},
		{"a build that fails", "FAIL\tp [build failed]\n", false},
	}
	for _, c := range cases {
		if got := onlyRanOut(c.output); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
