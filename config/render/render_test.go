package render_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/config/render"
)

var now = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)

const index = `apiVersion: ichor.dev/v1alpha1
kind: Render
variables:
    cluster: orchard
    host: 10.5.0.10
    endpoint: https://${host}:6443
    mtu: "1500"
nodes:
    n1: {role: worker, region: north, hardware: r640, variables: {mtu: "9000"}}
    n2: {role: worker}
`

func folder(t *testing.T, files map[string]string) (*render.Folder, error) {
	t.Helper()

	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}

	return render.Load(all, render.Source{
		Env: func(name string) (string, bool) { return "secret: [", name == "TOKEN" },
		File: func(string) ([]byte, error) {
			return nil, fs.ErrPermission
		},
	})
}

func layers(t *testing.T) map[string]string {
	t.Helper()

	base, err := os.ReadFile("../../test/vectors/decode/a-main-minimal-worker/canon.yaml")
	if err != nil {
		t.Fatal(err)
	}

	return map[string]string{
		"render.yaml":        index,
		"base.yaml":          string(base),
		"base/10-more.yaml":  "machine: {nodeLabels: {cluster: '${cluster}', plain: a}, sysctls: {x: '$${y}'}}\ncluster:\n  controlPlane:\n    endpoint: ${endpoint}\n",
		"role/worker.yaml":   "machine: {token: '${env:TOKEN}'}\n",
		"region/north.yaml":  "machine: {nodeLabels: {region: '${file:region.txt}'}}\n",
		"region.txt":         "north\n",
		"hardware/r640.yaml": "apiVersion: v1alpha1\nkind: LinkConfig\nname: eth0\nmtu: ${mtu}\n",
		"node/n1.yaml":       "machine:\n  nodeLabels:\n    plain: {$patch: delete}\n    name: ${node}\n",
	}
}

func TestAll_LaysLayersAndValues(t *testing.T) {
	f, err := folder(t, layers(t))
	if err != nil {
		t.Fatal(err)
	}

	all, err := f.All(now)
	if err != nil || len(all) != 2 {
		t.Fatalf("got %d configs, %v", len(all), err)
	}

	for _, want := range []string{
		"cluster: orchard\n", "name: n1\n", "region: north\n", "x: ${y}\n", "token: 'secret: ['\n",
		"endpoint: https://10.5.0.10:6443\n", "kind: LinkConfig\nname: eth0\nmtu: 9000\n",
	} {
		if !strings.Contains(string(all[0].Text), want) {
			t.Errorf("%q is not in:\n%s", want, all[0].Text)
		}
	}

	if strings.Contains(string(all[0].Text), "plain:") || !strings.Contains(string(all[1].Text), "plain: a") || strings.Contains(string(all[1].Text), "LinkConfig") {
		t.Errorf("layers of one node are in the other:\n%s\n%s", all[0].Text, all[1].Text)
	}

	again, err := f.All(now)
	if d := cmp.Diff(string(all[0].Text), string(again[0].Text)); err != nil || d != "" {
		t.Errorf("the second time differs: %v\n%s", err, d)
	}
}

func TestRender_Refuses(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"unknown variable":  {"node/n1.yaml", "machine:\n  token: ${nothing}\n", "node/n1.yaml:2:10: unresolved variable: nothing"},
		"unset environment": {"node/n1.yaml", "machine:\n  token: ${env:NOTHING}\n", "not set: NOTHING"},
		"file outside":      {"node/n1.yaml", "machine:\n  token: ${file:../x}\n", "cannot be read"},
		"file not readable": {"node/n1.yaml", "machine:\n  token: ${file:/etc/x}\n", "permission"},
		"not closed":        {"node/n1.yaml", "machine:\n  token: ${x\n", "not closed"},
		"circle":            {"render.yaml", strings.Replace(index, "cluster: orchard", "cluster: ${cluster}", 1), "without end"},
		"missing layer":     {"render.yaml", strings.Replace(index, "region: north", "region: south", 1), "region/south.yaml"},
		"layer outside":     {"render.yaml", strings.Replace(index, "region: north", "region: ../../x", 1), "not there"},
		"invalid result":    {"node/n1.yaml", "machine: {type: king}\n", "unknown machine type"},
		"unknown key":       {"node/n1.yaml", "machine: {typ: worker}\n", `did you mean "type"`},
		"layer too large":   {"node/n1.yaml", strings.Repeat("#", 32<<20+1), "too large"},
		"unknown index key": {"render.yaml", index + "node: {}\n", `did you mean "nodes"`},
		"no nodes":          {"render.yaml", "apiVersion: ichor.dev/v1alpha1\nkind: Render\nnodes: {}\n", "no nodes"},
	} {
		t.Run(name, func(t *testing.T) {
			files := layers(t)
			files[c.file] = c.text

			f, err := folder(t, files)
			if err == nil {
				_, err = f.All(now)
			}

			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
