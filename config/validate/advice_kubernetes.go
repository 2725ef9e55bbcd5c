package validate

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/version"
)

// component is an image of the config, with its arguments where it has any.
type component struct {
	path, image string
	arguments   map[string]v1alpha1.Argument
	// kubernetes: the image's tag is the Kubernetes version.
	kubernetes bool
}

func components(c *v1alpha1.Config) []component {
	var all []component

	if k := c.Machine.Kubelet; k != nil {
		all = append(all, component{"machine.kubelet", k.Image, k.ExtraArgs, true})
	}

	if in := c.Machine.Install; in != nil {
		all = append(all, component{"machine.install", in.Image, nil, false})
	}

	cl := c.Cluster

	if a := cl.APIServer; a != nil {
		all = append(all, component{"cluster.apiServer", a.Image, a.ExtraArgs, true})
	}

	if m := cl.ControllerManager; m != nil {
		all = append(all, component{"cluster.controllerManager", m.Image, m.ExtraArgs, true})
	}

	if s := cl.Scheduler; s != nil {
		all = append(all, component{"cluster.scheduler", s.Image, s.ExtraArgs, true})
	}

	if p := cl.Proxy; p != nil {
		all = append(all, component{"cluster.proxy", p.Image, p.ExtraArgs, true})
	}

	if e := cl.Etcd; e != nil {
		all = append(all, component{"cluster.etcd", e.Image, e.ExtraArgs, false})
	}

	if d := cl.CoreDNS; d != nil {
		all = append(all, component{"cluster.coreDNS", d.Image, nil, false})
	}

	return all
}

// imageReference is the grammar of the OCI distribution specification, loosely.
// It is compiled when it is needed: most commands never do.
var imageReference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z0-9.-]+(:[0-9]+)?/|\[[0-9A-Fa-f:]+\](:[0-9]+)?/)?[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*(/[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*)*(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(@[a-z0-9]+:[0-9a-f]{32,})?$`)
})

func adviseImages(v *document.Validation, c *v1alpha1.Config) {
	for _, x := range components(c) {
		if x.image != "" && !imageReference().MatchString(x.image) {
			v.Advisef(x.path+".image", "not an image reference: %q", x.image).Fix("write registry/name:tag")
		}
	}
}

// Minor versions of Kubernetes 1 that are supported.
var (
	oldestMinor, _ = minorOf("k:" + version.KubernetesOldest)
	newestMinor, _ = minorOf("k:" + version.KubernetesNewest)
)

// kubeletSkew is how many minor versions a kubelet may be older than the API server.
const kubeletSkew = 3

func adviseVersions(v *document.Validation, c *v1alpha1.Config) {
	minors := make(map[string]int)

	for _, x := range components(c) {
		if !x.kubernetes || x.image == "" {
			continue
		}

		minor, ok := minorOf(x.image)
		if ok {
			minors[x.path] = minor
		}

		switch tag := tagOf(x.image); {
		case !ok && tag != "":
			v.Advisef(x.path+".image", "not a supported version of Kubernetes: %s", tag).Fix("use 1.%d to 1.%d", oldestMinor, newestMinor)
		case ok && !supported(minor):
			v.Advisef(x.path+".image", "Kubernetes 1.%d is not supported", minor).Fix("use 1.%d to 1.%d", oldestMinor, newestMinor)
		}
	}

	api, ok := minors["cluster.apiServer"]
	if !ok {
		return
	}

	if kubelet, ok := minors["machine.kubelet"]; ok && (kubelet > api || kubelet < api-kubeletSkew) {
		v.Advisef("machine.kubelet.image", "kubelet 1.%d does not go with API server 1.%d", kubelet, api).
			Fix("a kubelet may be up to %d minor versions older, and never newer", kubeletSkew)
	}

	for _, part := range []string{"cluster.controllerManager", "cluster.scheduler"} {
		if minor, ok := minors[part]; ok && (minor > api || minor < api-1) {
			v.Advisef(part+".image", "1.%d does not go with API server 1.%d", minor, api).Fix("use the same version")
		}
	}
}

func supported(minor int) bool { return minor >= oldestMinor && minor <= newestMinor }

// KubernetesVersion says whether a version is one that clusters cannot have;
// empty is none at all.
func KubernetesVersion(text string) error {
	if minor, ok := minorOf("k:" + text); text == "" || ok && supported(minor) {
		return nil
	}

	return fmt.Errorf("not a supported version of Kubernetes: %s: use 1.%d to 1.%d", text, oldestMinor, newestMinor)
}

// tagOf is the tag of an image, empty if it has none.
func tagOf(image string) string {
	image, _, _ = strings.Cut(image, "@")
	_, tag, _ := strings.Cut(image[strings.LastIndexByte(image, '/')+1:], ":")

	return tag
}

// minorOf reads the minor version of the tag of an image: v1.36.3, v1.36.3-fat.
func minorOf(image string) (int, bool) {
	parts := strings.SplitN(strings.TrimPrefix(tagOf(image), "v"), ".", 3)
	if len(parts) < 2 || parts[0] != "1" {
		return 0, false
	}

	minor, err := strconv.Atoi(parts[1])

	return minor, err == nil
}

var flagName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`) })

// adviseArguments checks that names of flags look like flags, and that the
// programs know them where their version is one whose flags are listed.
func adviseArguments(v *document.Validation, c *v1alpha1.Config) {
	for _, x := range components(c) {
		for _, name := range slices.Sorted(maps.Keys(x.arguments)) {
			path := document.Join(x.path+".extraArgs", name)

			switch bare := strings.TrimLeft(name, "-"); {
			case bare != name:
				v.Advisef(path, "a flag is named without leading dashes").Fix("write %s", bare)
			case !flagName().MatchString(name):
				v.Advisef(path, "not a name of a flag: %q", name).Fix("write it as the program's help does")
			default:
				adviseFlag(v, x, path, name)
			}
		}
	}
}
