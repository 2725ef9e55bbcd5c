package apid

import (
	"os/exec"
	"strings"
	"testing"
)

// heavy are packages that must not creep into what faces the network.
var heavy = []string{
	"go.opentelemetry.io/",
	"google.golang.org/grpc/reflection",
	"google.golang.org/grpc/xds",
	"github.com/prometheus/",
	"k8s.io/",
	"net/http/pprof",
}

func TestImports_NothingHeavyIsLinked(t *testing.T) {
	output, err := exec.Command("go", "list", "-deps", ".", "../trustd").Output()
	if err != nil {
		t.Fatalf("list dependencies: %v", err)
	}

	for _, name := range strings.Fields(string(output)) {
		for _, prefix := range heavy {
			if strings.HasPrefix(name, prefix) {
				t.Errorf("%s is linked", name)
			}
		}
	}
}
