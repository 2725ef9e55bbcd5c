package documents_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/document"
)

// ruleCase is a document (its apiVersion is added) and what validation says
// about it: "error PATH", "warning PATH", "advice PATH", in order.
type ruleCase struct {
	name, yaml string
	want       []string
}

func checkRules(t *testing.T, cases []ruleCase) {
	t.Helper()

	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, findings(t, tc.yaml)); diff != "" {
				t.Errorf("findings (-want +got):\n%s\n%s", diff, tc.yaml)
			}
		})
	}
}

func findings(t *testing.T, text string) []string {
	t.Helper()

	return findingsOf(t, header+text)
}

// findingsOf validates a text that holds its apiVersion.
func findingsOf(t *testing.T, text string) []string {
	t.Helper()

	c, err := config.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}

	v := document.NewValidation(document.Metal, now)

	for _, d := range c.Documents() {
		d.Validate(v.For(d))
	}

	var got []string

	for _, f := range v.Findings() {
		line := f.Severity.String() + " " + f.Path
		got = append(got, strings.TrimSuffix(line, " "))

		if f.Severity == document.Error && f.Message == "" {
			t.Errorf("finding without message: %+v", f)
		}
	}

	return got
}

func parse(t *testing.T, text string) *config.Config {
	t.Helper()

	c, err := config.Parse([]byte("apiVersion: v1alpha1\n" + text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}

	return c
}

// refused demands that each text is refused on reading.
func refused(t *testing.T, texts map[string]string) {
	t.Helper()

	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			if _, err := config.Parse([]byte("apiVersion: v1alpha1\n" + text)); err == nil {
				t.Errorf("accepted:\n%s", text)
			}
		})
	}
}
