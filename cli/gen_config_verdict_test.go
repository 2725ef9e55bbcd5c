package cli_test

import (
	"strings"
	"syscall"
	"testing"
)

func TestGenConfig_SaysThatFlagsMakeNoValidConfig(t *testing.T) {
	for name, c := range map[string]struct {
		arguments []string
		want      string
	}{
		"port":       {[]string{"https://10.0.0.1:99999"}, "port is out of range"},
		"domain":     {[]string{"https://10.0.0.1", "--dns-domain", "a b"}, "dnsDomain"},
		"Kubernetes": {[]string{"https://10.0.0.1", "--kubernetes-version", "9.9.9"}, "not a supported version of Kubernetes: 9.9.9"},
	} {
		t.Run(name, func(t *testing.T) {
			inTempFolder(t, secretsFile(t))
			arguments := append([]string{"gen", "config", "c", "--with-secrets", "secrets.yaml", "-o", "a"}, c.arguments...)

			shown := run(t, arguments...)
			if shown.exit != 0 || !strings.Contains(shown.stderr, "WARNING: ") || !strings.Contains(shown.stderr, c.want) {
				t.Errorf("exit code %d, standard error %q; want 0 and a warning that says %q", shown.exit, shown.stderr, c.want)
			}

			refused := run(t, append(arguments, "--force", "--advice=error")...)
			if refused.exit != 1 || !strings.Contains(refused.stderr, c.want) {
				t.Errorf("with --advice=error: exit code %d, standard error %q", refused.exit, refused.stderr)
			}
		})
	}
}

func TestGenConfig_LetsTheUmaskKeepFilesToTheUser(t *testing.T) {
	inTempFolder(t, secretsFile(t))
	old := syscall.Umask(0o077)
	got := run(t, genConfig()...)
	syscall.Umask(old)
	for _, path := range []string{"controlplane.yaml", "worker.yaml", "talosconfig"} {
		if mode := got.modes[path].Perm(); mode != 0o600 {
			t.Errorf("mode of %s is %v, want 0600", path, mode)
		}
	}
}
