package validate

import (
	"embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ichor-os/ichor/config/decode"
	"github.com/ichor-os/ichor/config/document"
)

// flagFiles hold the flags that the programs list in their help: a name a
// line, followed by the minor version of Kubernetes if only that one has it.
// The lists are those of Kubernetes 1.36.3 and 1.37.2 and of etcd 3.7.3.
//
//go:embed flags
var flagFiles embed.FS

// listedMinors are the minor versions of Kubernetes that the lists are about.
var listedMinors = []int{36, 37}

// programs are the programs behind the components of a config.
var programs = map[string]string{
	"machine.kubelet":           "kubelet",
	"cluster.apiServer":         "kube-apiserver",
	"cluster.controllerManager": "kube-controller-manager",
	"cluster.scheduler":         "kube-scheduler",
	"cluster.proxy":             "kube-proxy",
	"cluster.etcd":              "etcd",
}

var knownFlags = sync.OnceValue(func() map[string][]string {
	all := make(map[string][]string, len(programs))

	for _, program := range programs {
		text, err := flagFiles.ReadFile("flags/" + program + ".txt")
		if err != nil {
			continue // the file is compiled in: a test reads them all
		}

		all[program] = strings.Split(strings.TrimSpace(string(text)), "\n")
	}

	return all
})

// flagsOf lists the flags of a program in a version, nil if they are not known.
func flagsOf(x component) []string {
	program := programs[x.path]

	if program == "etcd" {
		if !strings.Contains(x.image, ":v3.7.") && !strings.Contains(x.image, ":3.7.") {
			return nil
		}

		return knownFlags()[program]
	}

	minor, ok := minorOf(x.image)
	if !ok || program == "" || !slices.Contains(listedMinors, minor) {
		return nil
	}

	var flags []string

	for _, line := range knownFlags()[program] {
		name, only, restricted := strings.Cut(line, " ")
		if !restricted || only == strconv.Itoa(minor) {
			flags = append(flags, name)
		}
	}

	return flags
}

func adviseFlag(v *document.Validation, x component, path, name string) {
	flags := flagsOf(x)
	if flags == nil || slices.Contains(flags, name) {
		return
	}

	f := v.Advisef(path, "%s of this version does not list such a flag", programs[x.path])
	if near := decode.Suggest(name, flags); near != "" {
		f.Fix("did you mean %s?", near)
	}
}
