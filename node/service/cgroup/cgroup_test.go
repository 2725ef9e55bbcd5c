package cgroup

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mounts is a Mounter that writes down what is mounted where.
type mounts struct{ calls []string }

func (m *mounts) Mount(_, target, fstype string, _ uintptr, data string) error {
	m.calls = append(m.calls, fstype+" "+filepath.Base(target)+" "+data)
	return nil
}
func (*mounts) MkdirAll(string, os.FileMode) error { return nil }
func (m *mounts) Symlink(target, path string) error {
	m.calls = append(m.calls, "link "+filepath.Base(path)+" "+target)
	return nil
}

func TestMount_TakesTheVersionThatTheProcessIsIn(t *testing.T) {
	for name, test := range map[string]struct {
		self    string
		unified bool
		want    []string
	}{
		"version 1": {
			"9:name=systemd:/\n5:cpu,cpuacct:/\n4:memory:/\n3:hugetlb:/\n0::/\n", false,
			[]string{
				"tmpfs cgroup mode=0755,size=1m", "cgroup systemd none,name=systemd", "cgroup cpu,cpuacct cpu,cpuacct",
				"link cpu cpu,cpuacct", "link cpuacct cpu,cpuacct", "cgroup memory memory",
			},
		},
		"version 2": {"0::/\n", true, []string{"cgroup2 cgroup nsdelegate,memory_recursiveprot"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := &mounts{}
			tree, err := Mount(m, "/sys/fs/cgroup", test.self)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, m.calls); diff != "" || tree.Unified() != test.unified {
				t.Errorf("unified %v, calls (-want +got):\n%s", tree.Unified(), diff)
			}
		})
	}
}

func TestParseSelf_RefusesNonsense(t *testing.T) {
	if _, err := ParseSelf("nonsense\n"); err == nil {
		t.Error("a line without fields is accepted")
	}
}

// fakeTree is a version 1 tree of two hierarchies in plain folders.
func fakeTree(t *testing.T) *Tree {
	t.Helper()
	root := t.TempDir()
	tree := &Tree{Root: root}
	for _, name := range []string{"cpuset", "memory"} {
		folder := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Join(folder, "system/apid"), 0o755); err != nil {
			t.Fatal(err)
		}
		tree.folders = append(tree.folders, folder)
	}
	for path, text := range map[string]string{
		"cpuset/cpuset.cpus": "0-1\n", "cpuset/cpuset.mems": "0\n", "cpuset/system/cpuset.cpus": "\n", "cpuset/system/cpuset.mems": "\n",
		"cpuset/system/apid/cpuset.cpus": "\n", "cpuset/system/apid/cpuset.mems": "0\n",
		"memory/system/apid/cgroup.procs": "41\n42\n", "cpuset/system/apid/cgroup.procs": "42\n43\n",
	} {
		if err := os.WriteFile(filepath.Join(root, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return tree
}

func TestMake_FillsEmptyCpusetsOnTheWayDown(t *testing.T) {
	tree := fakeTree(t)
	place, err := tree.Make("system/apid")
	if err != nil {
		t.Fatal(err)
	}
	if len(place.Procs) != 2 || place.FD != nil {
		t.Errorf("place = %+v, want two files to join", place)
	}
	for _, path := range []string{"cpuset/system/cpuset.cpus", "cpuset/system/apid/cpuset.cpus"} {
		if got, err := os.ReadFile(filepath.Join(tree.Root, path)); err != nil || string(got) != "0-1" {
			t.Errorf("%s = %q, %v; want the parent's", path, got, err)
		}
	}
}

func TestProcesses_ListsEachOnce(t *testing.T) {
	tree := fakeTree(t)
	for _, list := range []func(string) ([]int, error){tree.Processes, tree.ProcessesBelow} {
		got, err := list("system/apid")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]int{42, 43, 41}, got); diff != "" {
			t.Errorf("processes (-want +got):\n%s", diff)
		}
	}
}
