package container

import (
	"slices"
	"strings"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// ContainerKind is the kind ContainerConfig.
var ContainerKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "ContainerConfig", Named: true, Since: "1.14",
	New: func() document.Document { return new(ContainerConfig) },
	Doc: "Runs a container on the node, beside Kubernetes.",
	Example: `apiVersion: v1alpha1
kind: ContainerConfig
name: agent
image: registry.example.com/agent:v1.4.2
args:
  - --verbose
runAs:
  uid: 1000
  gid: 1000
mounts:
  - hostPath:
      source: /var/log
      destination: /logs
      options:
        - ro
  - tmpfs:
      destination: /tmp
      size: 64MiB
network:
  mode: host
resources:
  limits:
    cpu: 500m
    memory: 256Mi
dependsOn:
  networks:
    - addresses
  time: true
`,
}

// ContainerConfig runs a container.
type ContainerConfig struct {
	DocName     string     `yaml:"name" doc:"Name of the container."`
	Image       string     `yaml:"image,omitempty" doc:"Image to run."`
	Entrypoint  []string   `yaml:"entrypoint,omitempty" doc:"Program to start, with its first arguments." default:"that of the image"`
	Args        []string   `yaml:"args,omitempty" doc:"Arguments of the program." default:"those of the image"`
	WorkingDir  string     `yaml:"workingDir,omitempty" doc:"Folder that the program starts in." default:"that of the image"`
	RunAs       *RunAs     `yaml:"runAs,omitempty" doc:"User and group of the program." default:"those of the image"`
	Environment []string   `yaml:"environment,omitempty" secret:"true" doc:"Environment variables: NAME=value."`
	Mounts      []Mount    `yaml:"mounts,omitempty" doc:"Folders and volumes that the container sees."`
	Security    *Security  `yaml:"security,omitempty" doc:"Rights of the container."`
	Network     *Network   `yaml:"network,omitempty" doc:"Network of the container."`
	Resources   *Resources `yaml:"resources,omitempty" doc:"Share of the machine that the container may use."`
	DependsOn   *DependsOn `yaml:"dependsOn,omitempty" doc:"What must be ready before the container starts."`
}

// RunAs is the user and group of a program.
type RunAs struct {
	UID *uint32 `yaml:"uid,omitempty" doc:"Number of the user."`
	GID *uint32 `yaml:"gid,omitempty" doc:"Number of the group."`
}

// Security is the rights of a container.
type Security struct {
	Profile      string        `yaml:"profile,omitempty" doc:"Name of the security profile."`
	Capabilities *Capabilities `yaml:"capabilities,omitempty" doc:"Rights to add and to take away."`
}

// Capabilities changes the rights of a container.
type Capabilities struct {
	Add  []string `yaml:"add,omitempty" doc:"Linux capabilities to add, such as CAP_NET_ADMIN."`
	Drop []string `yaml:"drop,omitempty" doc:"Linux capabilities to take away."`
}

// Network is the network of a container.
type Network struct {
	Mode string `yaml:"mode,omitempty" doc:"Which network the container has, such as host."`
}

// Resources limits a container.
type Resources struct {
	Limits *Limits `yaml:"limits,omitempty" doc:"The most that the container may use."`
}

// Limits are amounts in the notation of Kubernetes.
type Limits struct {
	CPU    string `yaml:"cpu,omitempty" doc:"Processor time, such as 2 or 500m."`
	Memory string `yaml:"memory,omitempty" doc:"Memory, such as 256Mi."`
}

// DependsOn lists what a container waits for.
type DependsOn struct {
	Paths      []string                       `yaml:"paths,omitempty" doc:"Files that must be there."`
	Networks   scalar.WordList[networkStates] `yaml:"networks,omitempty" doc:"Parts of the network that must be ready." enum:"addresses,connectivity,hostname,etcfiles"`
	Time       *bool                          `yaml:"time,omitempty" doc:"Whether the clock must be right." default:"false"`
	Containers []string                       `yaml:"containers,omitempty" doc:"Names of other containers that must run."`
}

type networkStates struct{}

func (networkStates) Words() []string {
	return []string{"addresses", "connectivity", "hostname", "etcfiles"}
}

// Kind returns ContainerKind.
func (c *ContainerConfig) Kind() *document.Kind { return ContainerKind }

// Name is the container's name.
func (c *ContainerConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *ContainerConfig) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)
	rules.Given(v, "image", c.Image)

	for i, e := range c.Environment {
		if name, _, found := strings.Cut(e, "="); !found || name == "" {
			v.Item("environment", i).Errorf("", "variable has not the form NAME=value: %q", e)
		}
	}

	seen := map[string]bool{}

	for i, m := range c.Mounts {
		at := v.Item("mounts", i)

		if destination := m.validate(at); destination != "" {
			if seen[destination] {
				at.Errorf("", "destination is used twice: %q", destination).Fix("give each mount a destination of its own")
			}

			seen[destination] = true
		}
	}

	if c.WorkingDir != "" && !strings.HasPrefix(c.WorkingDir, "/") {
		v.Errorf("workingDir", "path is not absolute: %q", c.WorkingDir)
	}

	if c.DependsOn != nil && slices.Contains(c.DependsOn.Containers, c.DocName) {
		v.Errorf("dependsOn.containers", "container depends on itself")
	}
}
