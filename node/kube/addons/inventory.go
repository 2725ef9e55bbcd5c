package addons

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ichor-os/ichor/node/kube/client"
	"github.com/ichor-os/ichor/node/kube/spec"
	"github.com/ichor-os/ichor/resource"
)

// inventory is the config map that lists what was applied: what it lists and
// nothing wants any more is deleted.
const inventory = "ichor-inventory"

// reference names an object.
type reference struct {
	Version   string `json:"apiVersion"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

func referenceOf(o map[string]any) reference {
	metadata, _ := o["metadata"].(map[string]any)
	r := reference{}
	r.Version, _ = o["apiVersion"].(string)
	r.Kind, _ = o["kind"].(string)
	r.Namespace, _ = metadata["namespace"].(string)
	r.Name, _ = metadata["name"].(string)
	return r
}

func (r reference) object() map[string]any {
	metadata := map[string]any{"name": r.Name}
	if r.Namespace != "" {
		metadata["namespace"] = r.Namespace
	}
	return map[string]any{"apiVersion": r.Version, "kind": r.Kind, "metadata": metadata}
}

// String names it for people.
func (r reference) String() string { return r.Kind + " " + r.Namespace + "/" + r.Name }

// kept are kinds that hold more than themselves: they are never deleted for
// having left a manifest.
var kept = []string{"Namespace", "CustomResourceDefinition", "PersistentVolume", "PersistentVolumeClaim"}

// refresh is how often what others changed is set right.
const refresh = 10 * time.Minute

// ensure applies all manifests in their order and deletes what is wanted no
// more.
func (a *Addons) ensure(ctx context.Context, s *resource.Session, _ resource.Resource[spec.BootstrapManifestsConfigSpec]) error {
	if state, _ := spec.APIServerStates.Get(s); !state.Ready {
		return resource.Hold("waiting for the API server")
	}
	manifests := spec.Manifests.List(s)
	if len(manifests) == 0 {
		return resource.Hold("waiting for manifests")
	}
	api, err := a.Client()
	if err != nil {
		return err
	}
	defer api.Close()
	var objects []map[string]any
	var applied []string
	for _, m := range manifests {
		for _, item := range m.Spec.Items {
			objects = append(objects, item.Object)
		}
		applied = append(applied, m.ID)
	}
	before, err := readInventory(ctx, api)
	if err != nil {
		return err
	}
	var wanted []reference
	for _, o := range objects {
		wanted = append(wanted, referenceOf(o))
	}
	// What is about to be made is on the list first, so that nothing is lost.
	if err := writeInventory(ctx, api, before, union(before, wanted)); err != nil {
		return err
	}
	var failures error
	for _, o := range objects {
		failures = errors.Join(failures, api.Apply(ctx, o))
	}
	if failures != nil {
		// What a first object brings, such as a kind, a later one may need.
		return failures
	}
	// An extra manifest that could not be had yet is no reason to delete what it
	// brought before.
	if extra, ok := spec.ExtraManifestsConfigs.Get(s, "extra"); !ok || complete(extra, applied) {
		if err := a.prune(ctx, api, before, wanted); err != nil {
			return err
		}
	}
	s.WakeAfter(refresh)
	spec.ManifestStatuses.Put(s, "manifests", spec.ManifestStatusSpec{ManifestsApplied: applied})
	return nil
}

func complete(extra spec.ExtraManifestsConfigSpec, applied []string) bool {
	for _, m := range extra.ExtraManifests {
		if !slices.Contains(applied, m.Priority+"-"+m.Name) {
			return false
		}
	}
	return true
}

func (a *Addons) prune(ctx context.Context, api *client.Client, before, wanted []reference) error {
	var failures error
	for _, r := range before {
		if slices.Contains(wanted, r) {
			continue
		}
		if slices.Contains(kept, r.Kind) {
			a.Log.Warn("object is wanted no more and stays, as it holds more than itself", "object", r.String())
			continue
		}
		a.Log.Info("object is wanted no more and is deleted", "object", r.String())
		failures = errors.Join(failures, api.Delete(ctx, r.object()))
	}
	if failures != nil {
		return failures
	}
	return writeInventory(ctx, api, union(before, wanted), wanted)
}

func union(a, b []reference) []reference {
	out := slices.Clone(a)
	for _, r := range b {
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

func readInventory(ctx context.Context, api *client.Client) ([]reference, error) {
	var found struct{ Data map[string]string }
	err := api.Get(ctx, "/api/v1/namespaces/"+system+"/configmaps/"+inventory, &found)
	if client.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read inventory: %w", err)
	}
	var list []reference
	if err := json.Unmarshal([]byte(found.Data["objects"]), &list); err != nil {
		return nil, fmt.Errorf("read inventory: config map %s/%s: %w", system, inventory, err)
	}
	return list, nil
}

func writeInventory(ctx context.Context, api *client.Client, old, list []reference) error {
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(a, b reference) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version))
	})
	if slices.Equal(old, sorted) {
		return nil
	}
	text, err := json.Marshal(sorted)
	if err != nil {
		return err
	}
	return api.Apply(ctx, configMap(inventory, object{"objects": string(text)}))
}
