// Hyperkube is every Kubernetes program a cluster runs in one executable:
// kubelet, kube-apiserver, kube-controller-manager, kube-scheduler, kube-proxy
// and kubectl. It acts as the program whose name it is started under, or, when
// started under another name, as the one its first argument names.
//
// The programs share most of their code, so one file is far smaller than six.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	_ "time/tzdata" // time zones of CronJobs; the images hold no zone files

	_ "k8s.io/client-go/plugin/pkg/client/auth" // credential plugins of kubeconfigs
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // client metrics
	_ "k8s.io/component-base/metrics/prometheus/version"  // kubernetes_build_info
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"

	"k8s.io/component-base/logs"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
)

// programs maps the name of a program to what runs it and returns its exit
// code. A program builds its command only when it is chosen, since building
// registers flags and feature gates of the whole process.
var programs = map[string]func() int{
	"kube-apiserver":          func() int { return cli.Run(apiserver.NewAPIServerCommand()) },
	"kube-controller-manager": func() int { return cli.Run(controllermanager.NewControllerManagerCommand()) },
	"kube-proxy":              func() int { return cli.Run(proxy.NewProxyCommand()) },
	"kube-scheduler":          func() int { return cli.Run(scheduler.NewSchedulerCommand()) },
	"kubectl":                 runKubectl,
	"kubelet":                 func() int { return cli.Run(kubelet.NewKubeletCommand(context.Background())) },
}

func main() {
	run, ok := programs[filepath.Base(os.Args[0])]
	if !ok && len(os.Args) > 1 {
		if run, ok = programs[os.Args[1]]; ok {
			os.Args = os.Args[1:]
		}
	}
	if !ok {
		fmt.Fprintf(os.Stderr, "usage: hyperkube PROGRAM [ARGUMENT...]\nprograms: %s\n", strings.Join(names(), ", "))
		os.Exit(2)
	}
	os.Exit(run())
}

// runKubectl differs from the others in how it prints errors: without a usage
// text, and with the exit codes that kubectl promises. Verbosity is needed
// before the command is built, because building it reads the kuberc file.
func runKubectl() int {
	// An unreadable level is reported by the flag parser of the command itself.
	_, _ = logs.GlogSetter(kubectl.GetLogVerbosity(os.Args))
	if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
		kubectlutil.CheckErr(err)
	}
	return 0
}

func names() []string {
	list := make([]string, 0, len(programs))
	for name := range programs {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
