package kube

import (
	"strings"
	"testing"

	"github.com/ichor-os/ichor/config"
)

func TestRefused_NamesEveryArgumentThatBelongsToTheSystem(t *testing.T) {
	c, err := config.Parse([]byte(`version: v1alpha1
machine: {type: controlplane}
cluster:
  apiServer: {extraArgs: {etcd-servers: "https://192.0.2.1:2379", v: "4"}}
  controllerManager: {extraArgs: {kubeconfig: /x}}
  scheduler: {extraArgs: {config: /x}}
`))
	if err != nil {
		t.Fatal(err)
	}
	err = Refused(c)
	for _, want := range []string{"cluster.apiServer.extraArgs: etcd-servers", "cluster.controllerManager.extraArgs: kubeconfig", "cluster.scheduler.extraArgs: config"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
	if err != nil && strings.Contains(err.Error(), "extraArgs: v:") {
		t.Errorf("an argument that is free is refused: %v", err)
	}
	if err := Refused(&config.Config{}); err != nil {
		t.Errorf("an empty config: %v", err)
	}
}
