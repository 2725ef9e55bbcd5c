package v1alpha1

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// RefuseArguments names the arguments under a key that belong to the system
// itself: nobody may set those.
func RefuseArguments(key string, args map[string]Argument, own []string) error {
	var refused []error
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if slices.Contains(own, name) {
			refused = append(refused, fmt.Errorf("%s: %s: the system sets this argument itself: remove it", key, name))
		}
	}
	return errors.Join(refused...)
}
