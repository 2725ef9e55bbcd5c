package kubelet

import (
	"encoding/json"
	"net/netip"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ichor-os/ichor/pki"
)

func settings(t *testing.T) Settings {
	t.Helper()
	authority, err := pki.NewKubernetesAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	pair, err := authority.Pair()
	if err != nil {
		t.Fatal(err)
	}
	return Settings{
		Image: "kubelet", NodeName: "n1", Address: netip.MustParseAddr("10.5.0.2"), Server: "https://10.5.0.1:6443", CA: pair,
		Token: "abcdef.0123456789abcdef", ClusterDNS: []string{"10.96.0.10"}, Domain: "cluster.local",
		Taints: []string{controlPlaneTaint}, Namespaced: true,
	}
}

func TestFiles_ControlPlaneSignsItselfAndWorkerJoinsByToken(t *testing.T) {
	for _, test := range []struct {
		name              string
		key               bool
		has, lacks, inCfg string
	}{
		{"control plane", true, KubeconfigPath, BootstrapPath, "tlsCertFile"},
		{"worker", false, BootstrapPath, KubeconfigPath, "clusterDomain"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := settings(t)
			if !test.key {
				s.CA.Key = nil
			}
			files, err := Files(s, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			contents := map[string]string{}
			for _, f := range files {
				contents[f.Path] = string(f.Content)
			}
			if _, ok := contents[test.has]; !ok {
				t.Errorf("%s is missing", test.has)
			}
			if _, ok := contents[test.lacks]; ok {
				t.Errorf("%s is there", test.lacks)
			}
			if !strings.Contains(contents[ConfigPath], test.inCfg) {
				t.Errorf("configuration lacks %s", test.inCfg)
			}
			if strings.Contains(contents[ConfigPath], s.Token) {
				t.Error("the token is in the configuration")
			}
		})
	}
}

func TestConfiguration_NeverLowersScoresInNamespaces(t *testing.T) {
	s := settings(t)
	text, err := json.Marshal(configuration(s))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"oomScoreAdj":0`, `"failCgroupV1":false`, `"makeIPTablesUtilChains":false`, `"failSwapOn":false`, `"nodefs.available":"1Gi"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("configuration lacks %s", want)
		}
	}
}

func TestS04_TaintIsThereAtFirstRegistration(t *testing.T) {
	if args := Container(settings(t)).Args; !slices.Contains(args, "--register-with-taints="+controlPlaneTaint) {
		t.Errorf("arguments lack the taint: %v", args)
	}
}

func TestEndPods_EndsWhatIsThere(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	err := EndPods(func(group string) ([]int, error) {
		if group != "kubepods" {
			t.Errorf("group = %s", group)
		}
		select {
		case <-ended:
			return nil, nil
		default:
			return []int{cmd.Process.Pid}, nil
		}
	})
	if err != nil {
		t.Error(err)
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGTERM {
		t.Errorf("ended by %v, want SIGTERM", status)
	}
}
