package cli_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/cli"
)

func TestReference_IsFresh(t *testing.T) {
	committed, err := os.ReadFile("../docs/reference/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(committed), string(cli.Reference())); diff != "" {
		t.Errorf("docs/reference/cli.md is stale: run go generate ./cli (-committed +now):\n%s", diff)
	}
}

func TestCommands_SayWhatTheyDo(t *testing.T) {
	var walk func(command *cobra.Command)
	walk = func(command *cobra.Command) {
		if command.Short == "" || strings.HasSuffix(command.Short, ".") {
			t.Errorf("%s: short help is %q, want a phrase without a full stop", command.CommandPath(), command.Short)
		}
		for _, child := range command.Commands() {
			walk(child)
		}
	}
	walk(cli.NewCommand(os.LookupEnv))
}

func TestDocs_WritesPagesOfAllKinds(t *testing.T) {
	committed, _ := snapshot(t, "../docs/reference/config")
	inTempFolder(t, nil)
	got := mustRun(t, "docs", "out")
	for name, content := range got.files {
		if page, ok := strings.CutPrefix(name, "out/config/"); ok && committed[page] != content {
			t.Errorf("docs/reference/config/%s is stale: run go generate ./config", page)
		}
	}
	for _, name := range []string{"out/cli.md", "out/config/v1alpha1.md", "out/config/schema.json", "out/config/linkconfig.md"} {
		if got.files[name] == "" {
			t.Errorf("%s is missing or empty", name)
		}
	}
	if _, written := mustRun(t, "docs", "only", "--cli").files["only/config/v1alpha1.md"]; written {
		t.Error("--cli writes the machine config's pages too")
	}
}
