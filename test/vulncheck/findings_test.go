package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const answer = `
{"config":{"scan_mode":"binary"}}
{"osv":{"id":"GO-1","summary":"one","affected":[{"package":{"name":"example.com/a"},"ecosystem_specific":{"imports":[{"path":"example.com/a/x"}]}}]}}
{"osv":{"id":"GO-2","summary":"two","affected":[{"package":{"name":"example.com/b"},"ecosystem_specific":{}}]}}
{"osv":{"id":"GO-3","summary":"three","affected":[{"package":{"name":"example.com/a"},"ecosystem_specific":{"imports":[{"path":"example.com/a/y"}]}}]}}
{"finding":{"osv":"GO-1","fixed_version":"v1.1.0","trace":[{"module":"example.com/a","version":"v1.0.0"}]}}
{"finding":{"osv":"GO-1","fixed_version":"v1.1.0","trace":[{"module":"example.com/a","version":"v1.0.0","package":"example.com/a/x"}]}}
{"finding":{"osv":"GO-1","fixed_version":"v1.1.0","trace":[{"module":"example.com/a","version":"v1.0.0","package":"example.com/a/x","function":"F"}]}}
{"finding":{"osv":"GO-2","trace":[{"module":"example.com/b","version":"v2.0.0"}]}}
{"finding":{"osv":"GO-3","trace":[{"module":"example.com/a","version":"v1.0.0"}]}}
`

func TestParseFindings_CountsWhatReachesTheLevelOrAffectsAWholeModule(t *testing.T) {
	got, err := parseFindings([]byte(answer), "p", packageLevel)
	if err != nil {
		t.Fatal(err)
	}
	want := []finding{
		{"GO-1", "p", "example.com/a", "v1.0.0", "v1.1.0", "one"},
		{"GO-2", "p", "example.com/b", "v2.0.0", "", "two"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(finding{})); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if _, err := parseFindings([]byte(`{"finding":`), "p", packageLevel); err == nil {
		t.Error("an answer that is cut off was taken for complete")
	}
}

func TestReport_FailsForUnacceptedFindingsAndNeedlessLines(t *testing.T) {
	found := []finding{{id: "GO-1", where: "hyperkube-1.36.3"}, {id: "GO-1", where: "etcd"}}
	tests := []struct {
		name, accepted  string
		complete, fails bool
	}{
		{"all accepted", "GO-1 hyperkube-* not called\nGO-1 etcd not called\n", true, false},
		{"one elsewhere", "GO-1 hyperkube-* not called\n", true, true},
		{"another one", "GO-2 * not called\n", true, true},
		{"needless line", "GO-1 * not called\nGO-2 etcd not called\n", true, true},
		{"needless line of a part that was not checked", "GO-1 * not called\nGO-2 etcd not called\n", false, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list, err := parseAccepted(test.accepted)
			if err != nil {
				t.Fatal(err)
			}
			if err := report(found, list, test.complete); (err != nil) != test.fails {
				t.Errorf("report(%v, %q) = %v, want failure: %v", found, test.accepted, err, test.fails)
			}
		})
	}
}

func TestParseAccepted_NeedsAReason(t *testing.T) {
	if list, err := parseAccepted("GO-1 etcd\n"); err == nil {
		t.Errorf("parseAccepted = %v, want an error", list)
	}
	if _, err := parseAccepted(acceptedText); err != nil {
		t.Error(err)
	}
}
