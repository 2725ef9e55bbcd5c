package main

import (
	"strings"
	"testing"
)

func TestCountEvents_CountsTestsAndShowsWhatFailed(t *testing.T) {
	input := strings.Join([]string{
		`{"Action":"run","Package":"p","Test":"TestA"}`,
		`{"Action":"output","Package":"p","Test":"TestA","Output":"quiet words\n"}`,
		`{"Action":"pass","Package":"p","Test":"TestA"}`,
		`{"Action":"output","Package":"p","Test":"TestB","Output":"got 1, want 2\n"}`,
		`{"Action":"fail","Package":"p","Test":"TestB"}`,
		`{"Action":"output","Package":"p","Test":"TestC","Output":"skip: needs root\n"}`,
		`{"Action":"skip","Package":"p","Test":"TestC"}`,
		`{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}`,
		`{"Action":"fail","Package":"p"}`,
		`not json`,
	}, "\n")
	var got tally
	var out strings.Builder
	if err := countEvents(strings.NewReader(input), &out, &got); err != nil {
		t.Fatal(err)
	}
	if want := (tally{passed: 1, failed: 1, skipped: 1}); got != want {
		t.Errorf("counted %v, want %v", got, want)
	}
	for _, want := range []string{"got 1, want 2", "needs root", "FAIL\tp", "not json"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("output lacks %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "quiet words") {
		t.Errorf("output of a test that passed is shown:\n%s", out.String())
	}
}
