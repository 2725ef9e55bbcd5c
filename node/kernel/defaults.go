package kernel

// needed are the parameters without which Kubernetes does not work as it should:
// packets of pods pass through, and the kubelet finds what it would set itself. A
// link of a machine that passes packets on heeds routers only with accept_ra 2.
var needed = map[string]string{
	"net.ipv4.ip_forward":             "1",
	"net.ipv6.conf.all.forwarding":    "1",
	"net.ipv6.conf.default.accept_ra": "2",
	"kernel.pid_max":                  "262144",
	"kernel.panic":                    "10",
	"kernel.panic_on_oops":            "1",
	"vm.overcommit_memory":            "1",
	"vm.panic_on_oom":                 "0",
}

// hardened are what the Kernel Self-Protection Project recommends
// (https://kspp.github.io/Recommended_Settings) and containers bear. A kernel
// that lacks one is no failure.
var hardened = map[string]string{
	"dev.tty.ldisc_autoload":              "0",
	"dev.tty.legacy_tiocsti":              "0",
	"fs.protected_fifos":                  "2",
	"fs.protected_hardlinks":              "1",
	"fs.protected_regular":                "2",
	"fs.protected_symlinks":               "1",
	"fs.suid_dumpable":                    "0",
	"kernel.dmesg_restrict":               "1",
	"kernel.kptr_restrict":                "2",
	"kernel.oops_limit":                   "100",
	"kernel.perf_event_paranoid":          "3",
	"kernel.randomize_va_space":           "2",
	"kernel.unprivileged_bpf_disabled":    "1",
	"kernel.warn_limit":                   "100",
	"kernel.yama.ptrace_scope":            "1",
	"net.bridge.bridge-nf-call-ip6tables": "1",
	"net.bridge.bridge-nf-call-iptables":  "1",
	"net.core.bpf_jit_harden":             "2",
	"vm.unprivileged_userfaultfd":         "0",
}
