package encode

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// yamlOrder is the order in which the YAML library writes the keys of a map.
func yamlOrder(t *testing.T, keys []string) []string {
	t.Helper()

	m := make(map[string]int, len(keys))
	for _, k := range keys {
		m[k] = 0
	}

	var n yaml.Node
	if err := n.Encode(m); err != nil {
		t.Fatal(err)
	}

	var order []string
	for i := 0; i < len(n.Content); i += 2 {
		order = append(order, n.Content[i].Value)
	}

	return order
}

func TestCompareKeys_OrdersLikeTheLibrary(t *testing.T) {
	const letters = "aBz_.-/019"

	random := rand.New(rand.NewPCG(1, 2))

	for range 2000 {
		var pair [2]string
		for i := range pair {
			for range 1 + random.IntN(5) {
				pair[i] += string(letters[random.IntN(len(letters))])
			}
		}

		if pair[0] == pair[1] {
			continue
		}

		got := slices.SortedFunc(slices.Values(pair[:]), CompareKeys)
		if diff := cmp.Diff(yamlOrder(t, pair[:]), got); diff != "" {
			t.Fatalf("order (-library +got):\n%s", diff)
		}
	}
}
