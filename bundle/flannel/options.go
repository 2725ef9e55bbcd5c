package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"strconv"
	"strings"

	"k8s.io/klog/v2"
)

// options are the flags. Their names and defaults are those of the stock
// flanneld, so that its manifests work; so do the variables FLANNELD_NAME,
// which set a flag that the command line does not.
type options struct {
	version       bool
	kubeSubnetMgr bool

	kubeAPI, kubeconfig, annotationPrefix string
	networkConfig, subnetFile             string
	setNodeNetworkUnavailable             bool

	interfaces, interfacePatterns list
	interfaceCanReach             string
	publicIP, publicIPv6          string

	ipMasq, ipMasqNotRandom bool
	forwardRules            bool
	resyncSeconds           int

	healthzIP   string
	healthzPort int
}

// list is a flag that may be given several times.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(value string) error {
	*l = append(*l, value)
	return nil
}

func parseOptions(args []string, lookup func(string) (string, bool)) (options, error) {
	var o options
	flags := flag.NewFlagSet("flanneld", flag.ContinueOnError)
	flags.BoolVar(&o.version, "version", false, "print the version and end")
	flags.BoolVar(&o.kubeSubnetMgr, "kube-subnet-mgr", true, "take leases from the Kubernetes API; nothing else is supported")
	flags.StringVar(&o.kubeAPI, "kube-api-url", "", "`URL` of the Kubernetes API; not needed in a pod")
	flags.StringVar(&o.kubeconfig, "kubeconfig-file", "", "kubeconfig `file`; not needed in a pod")
	flags.StringVar(&o.annotationPrefix, "kube-annotation-prefix", "flannel.alpha.coreos.com", "`prefix` of the annotations that hold a node's lease")
	flags.StringVar(&o.networkConfig, "net-config-path", "/etc/kube-flannel/net-conf.json", "`file` with the configuration of the network")
	flags.StringVar(&o.subnetFile, "subnet-file", "/run/flannel/subnet.env", "`file` to write the lease to, for the CNI plugin")
	flags.BoolVar(&o.setNodeNetworkUnavailable, "set-node-network-unavailable", true, "clear the node's condition NetworkUnavailable when the network is up")
	flags.Var(&o.interfaces, "iface", "`name or address` of the interface to other nodes; the first that exists, if given several times")
	flags.Var(&o.interfacePatterns, "iface-regex", "`regular expression` for the same, tried after -iface")
	flags.StringVar(&o.interfaceCanReach, "iface-can-reach", "", "use the interface that leads to this `address`, tried after -iface-regex")
	flags.StringVar(&o.publicIP, "public-ip", "", "IPv4 `address` at which other nodes reach this one")
	flags.StringVar(&o.publicIPv6, "public-ipv6", "", "IPv6 `address` at which other nodes reach this one")
	flags.BoolVar(&o.ipMasq, "ip-masq", false, "translate the addresses of packets that leave the network")
	flags.BoolVar(&o.ipMasqNotRandom, "ip-masq-fully-random-disable", false, "choose translated ports in order, not at random")
	flags.BoolVar(&o.forwardRules, "iptables-forward-rules", true, "accept forwarded packets of the network")
	flags.IntVar(&o.resyncSeconds, "iptables-resync", 5, "`seconds` between checks of the packet rules")
	flags.StringVar(&o.healthzIP, "healthz-ip", "0.0.0.0", "`address` to serve /healthz and /readyz on")
	flags.IntVar(&o.healthzPort, "healthz-port", 0, "`port` to serve them on; 0 for not at all")
	klogFlags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(klogFlags)
	for _, name := range []string{"v", "vmodule", "log_backtrace_at"} {
		f := klogFlags.Lookup(name)
		flags.Var(f.Value, f.Name, f.Usage)
	}
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if err := setFromEnvironment(flags, lookup); err != nil {
		return options{}, err
	}
	return o, o.validate(flags.Args())
}

func setFromEnvironment(flags *flag.FlagSet, lookup func(string) (string, bool)) error {
	given := make(map[string]bool)
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var err error
	flags.VisitAll(func(f *flag.Flag) {
		variable := "FLANNELD_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, ok := lookup(variable)
		if !ok || value == "" || given[f.Name] {
			return
		}
		if setErr := flags.Set(f.Name, value); setErr != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", variable, setErr))
		}
	})
	return err
}

func (o options) validate(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	case !o.kubeSubnetMgr && !o.version:
		return errors.New("-kube-subnet-mgr=false: leases from etcd are not supported, only those from Kubernetes")
	case o.resyncSeconds < 1:
		return fmt.Errorf("-iptables-resync=%d: must be 1 or more", o.resyncSeconds)
	case o.healthzPort < 0 || o.healthzPort > 65535:
		return fmt.Errorf("-healthz-port=%d: is not a port", o.healthzPort)
	}
	for name, value := range map[string]string{"public-ip": o.publicIP, "public-ipv6": o.publicIPv6, "iface-can-reach": o.interfaceCanReach} {
		if value != "" && net.ParseIP(value) == nil {
			return fmt.Errorf("-%s=%s: is not an IP address", name, value)
		}
	}
	return nil
}

func (o options) healthzAddress() string {
	return net.JoinHostPort(o.healthzIP, strconv.Itoa(o.healthzPort))
}
