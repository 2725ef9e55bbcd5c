package render

import (
	"github.com/ichor-os/ichor/config/document"
)

// IndexKind is the kind of the file render.yaml. It is known to rendering alone, never to machines.
var IndexKind = &document.Kind{
	APIVersion: document.IchorV1Alpha1, Kind: "Render", Since: "1.13",
	New: func() document.Document { return new(Index) },
	Doc: "Says which nodes a folder of layers is rendered for, and with which values.",
	Example: `apiVersion: ichor.dev/v1alpha1
kind: Render
variables:
    cluster: orchard
    token: ${env:CLUSTER_TOKEN}
nodes:
    rack4-n1:
        role: controlplane
        region: north
        variables:
            address: 10.5.0.11/24
`,
}

// Index is the file render.yaml.
type Index struct {
	Variables map[string]string `yaml:"variables,omitempty" secret:"true" effect:"yes" doc:"Values for all nodes: text, which may hold variables itself."`
	Nodes     map[string]*Node  `yaml:"nodes" effect:"yes" doc:"The nodes, by name."`
}

// Node is one node of the index.
type Node struct {
	Role      string            `yaml:"role,omitempty" effect:"yes" doc:"Layer role/NAME.yaml."`
	Region    string            `yaml:"region,omitempty" effect:"yes" doc:"Layer region/NAME.yaml."`
	Hardware  string            `yaml:"hardware,omitempty" effect:"yes" doc:"Layer hardware/NAME.yaml."`
	Mode      string            `yaml:"mode,omitempty" effect:"yes" enum:"metal,cloud,container" default:"metal" doc:"Sort of machine that the result is checked for."`
	Variables map[string]string `yaml:"variables,omitempty" secret:"true" effect:"yes" doc:"Values for this node; they win over those for all."`
}

// Kind returns IndexKind.
func (i *Index) Kind() *document.Kind { return IndexKind }

// Name is empty.
func (i *Index) Name() string { return "" }

// Validate checks the index.
func (i *Index) Validate(v *document.Validation) {
	if len(i.Nodes) == 0 {
		v.Errorf("nodes", "there are no nodes").Fix("name at least one")
	}

	for name, n := range i.Nodes {
		if n == nil || n.Mode == "" {
			continue
		}

		if _, err := document.ParseMode(n.Mode); err != nil {
			v.Errorf(document.Join("nodes", name)+".mode", "%v", err)
		}
	}
}
