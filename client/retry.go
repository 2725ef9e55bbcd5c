package client

import (
	"encoding/json"
	"strings"
)

// readOnly are the methods that change nothing, so that asking again when a
// node was out of reach does no harm. A stream is opened again only as long as
// nothing of it has arrived.
var readOnly = []string{
	"cluster.ClusterService/HealthCheck",
	"cosi.resource.State/Get",
	"cosi.resource.State/List",
	"cosi.resource.State/Watch",
	"inspect.InspectService/ControllerRuntimeDependencies",
	"machine.ImageService/List",
	"machine.ImageService/Verify",
	"machine.MachineService/CPUFreqStats",
	"machine.MachineService/CPUInfo",
	"machine.MachineService/Containers",
	"machine.MachineService/DiskStats",
	"machine.MachineService/DiskUsage",
	"machine.MachineService/Dmesg",
	"machine.MachineService/EtcdAlarmList",
	"machine.MachineService/EtcdMemberList",
	"machine.MachineService/EtcdStatus",
	"machine.MachineService/Events",
	"machine.MachineService/Hostname",
	"machine.MachineService/ImageList",
	"machine.MachineService/List",
	"machine.MachineService/LoadAvg",
	"machine.MachineService/Logs",
	"machine.MachineService/LogsContainers",
	"machine.MachineService/Memory",
	"machine.MachineService/Mounts",
	"machine.MachineService/Netstat",
	"machine.MachineService/NetworkDeviceStats",
	"machine.MachineService/Processes",
	"machine.MachineService/ServiceList",
	"machine.MachineService/Stats",
	"machine.MachineService/SystemStat",
	"machine.MachineService/Version",
	"machine.StorageService/Statfs",
	"storage.StorageService/Disks",
	"time.TimeService/Time",
	"time.TimeService/TimeCheck",
}

// serviceConfig returns the configuration of the connection in the form that
// grpc takes: endpoints in order, and another try for readOnly.
func serviceConfig() string {
	type name struct {
		Service string `json:"service"`
		Method  string `json:"method"`
	}

	names := make([]name, 0, len(readOnly))

	for _, method := range readOnly {
		service, method, _ := strings.Cut(method, "/")
		names = append(names, name{Service: service, Method: method})
	}

	config, err := json.Marshal(map[string]any{
		"loadBalancingConfig": []any{map[string]any{"pick_first": map[string]any{"shuffleAddressList": false}}},
		"methodConfig": []any{map[string]any{
			"name": names,
			"retryPolicy": map[string]any{
				"maxAttempts":          3,
				"initialBackoff":       "0.1s",
				"maxBackoff":           "1s",
				"backoffMultiplier":    2,
				"retryableStatusCodes": []string{"UNAVAILABLE"},
			},
		}},
	})
	if err != nil {
		panic(err) // maps of strings and numbers can be encoded
	}

	return string(config)
}
