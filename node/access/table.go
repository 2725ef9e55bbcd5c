package access

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Nested sets of the table: an operator may do what a reader may, an
// administrator everything.
const (
	admins    = Set(1 << Admin)
	operators = admins | 1<<Operator
	readers   = operators | 1<<Reader
)

// table says which roles may call a method. It is the only place that does.
var table = map[string]Set{
	// cluster.ClusterService
	"/cluster.ClusterService/HealthCheck": readers,

	// ichor.v1.Audit
	"/ichor.v1.Audit/Records": operators,
	"/ichor.v1.Audit/Verify":  operators,

	// inspect.InspectService
	"/inspect.InspectService/ControllerRuntimeDependencies": readers,

	// machine.ImageService
	"/machine.ImageService/Import": admins,
	"/machine.ImageService/List":   readers,
	"/machine.ImageService/Pull":   operators,
	"/machine.ImageService/Remove": admins,
	"/machine.ImageService/Verify": readers | 1<<ImageVerifier,

	// machine.DebugService
	"/machine.DebugService/ContainerRun": admins,

	// machine.LifecycleService
	"/machine.LifecycleService/Install": admins,
	"/machine.LifecycleService/Upgrade": admins,

	// machine.StorageService
	"/machine.StorageService/Statfs": readers,

	// machine.MachineService
	"/machine.MachineService/ApplyConfiguration":          admins,
	"/machine.MachineService/Bootstrap":                   admins,
	"/machine.MachineService/CPUInfo":                     readers,
	"/machine.MachineService/CPUFreqStats":                readers,
	"/machine.MachineService/Containers":                  readers,
	"/machine.MachineService/Copy":                        admins,
	"/machine.MachineService/DiskStats":                   readers,
	"/machine.MachineService/DiskUsage":                   readers,
	"/machine.MachineService/Dmesg":                       readers,
	"/machine.MachineService/EtcdAlarmList":               readers | 1<<EtcdBackup,
	"/machine.MachineService/EtcdAlarmDisarm":             operators,
	"/machine.MachineService/EtcdDefragment":              operators,
	"/machine.MachineService/EtcdForfeitLeadership":       admins,
	"/machine.MachineService/EtcdLeaveCluster":            admins,
	"/machine.MachineService/EtcdMemberList":              readers | 1<<EtcdBackup,
	"/machine.MachineService/EtcdRecover":                 admins,
	"/machine.MachineService/EtcdRemoveMemberByID":        admins,
	"/machine.MachineService/EtcdSnapshot":                operators | 1<<EtcdBackup,
	"/machine.MachineService/EtcdStatus":                  readers | 1<<EtcdBackup,
	"/machine.MachineService/EtcdDowngradeCancel":         admins,
	"/machine.MachineService/EtcdDowngradeEnable":         admins,
	"/machine.MachineService/EtcdDowngradeValidate":       admins,
	"/machine.MachineService/Events":                      readers,
	"/machine.MachineService/GenerateClientConfiguration": admins,
	"/machine.MachineService/Hostname":                    readers,
	"/machine.MachineService/ImageList":                   readers,
	"/machine.MachineService/ImagePull":                   operators,
	"/machine.MachineService/Kubeconfig":                  admins,
	"/machine.MachineService/List":                        readers,
	"/machine.MachineService/LoadAvg":                     readers,
	"/machine.MachineService/Logs":                        readers,
	"/machine.MachineService/LogsContainers":              readers,
	"/machine.MachineService/Memory":                      readers,
	"/machine.MachineService/MetaWrite":                   admins | 1<<MetaWriter,
	"/machine.MachineService/MetaDelete":                  admins | 1<<MetaWriter,
	"/machine.MachineService/Mounts":                      readers,
	"/machine.MachineService/NetworkDeviceStats":          readers,
	"/machine.MachineService/Netstat":                     readers,
	"/machine.MachineService/PacketCapture":               operators,
	"/machine.MachineService/Processes":                   readers,
	"/machine.MachineService/Read":                        admins,
	"/machine.MachineService/Reboot":                      operators,
	"/machine.MachineService/Reset":                       admins,
	"/machine.MachineService/Restart":                     operators,
	"/machine.MachineService/Rollback":                    admins,
	"/machine.MachineService/ServiceList":                 readers,
	"/machine.MachineService/ServiceRestart":              operators,
	"/machine.MachineService/ServiceStart":                operators,
	"/machine.MachineService/ServiceStop":                 operators,
	"/machine.MachineService/Shutdown":                    operators,
	"/machine.MachineService/Stats":                       readers,
	"/machine.MachineService/SystemStat":                  readers,
	"/machine.MachineService/Upgrade":                     admins,
	"/machine.MachineService/Version":                     readers,

	// cosi.resource.State
	"/cosi.resource.State/Create":             admins,
	"/cosi.resource.State/Destroy":            admins,
	"/cosi.resource.State/Teardown":           admins,
	"/cosi.resource.State/TeardownAndDestroy": admins,
	"/cosi.resource.State/Get":                readers,
	"/cosi.resource.State/List":               readers,
	"/cosi.resource.State/Update":             admins,
	"/cosi.resource.State/Watch":              readers,

	// storage.StorageService
	"/storage.StorageService/Disks":           readers,
	"/storage.StorageService/BlockDeviceWipe": admins,

	// machine.LVMService
	"/machine.LVMService/LogicalVolumeRemove":  admins,
	"/machine.LVMService/VolumeGroupRemove":    admins,
	"/machine.LVMService/PhysicalVolumeRemove": admins,

	// machine.MDService
	"/machine.MDService/Destroy": admins,

	// time.TimeService
	"/time.TimeService/Time":      readers,
	"/time.TimeService/TimeCheck": readers}

// anonymous are the methods that a node without a configuration lets anybody
// call, beyond those of a reader: what it takes to look at a new machine, to
// give it a configuration, or to install, restart and wipe it.
var anonymous = map[string]bool{
	"/machine.MachineService/ApplyConfiguration": true,
	"/machine.MachineService/MetaDelete":         true,
	"/machine.MachineService/MetaWrite":          true,
	"/machine.MachineService/Reboot":             true,
	"/machine.MachineService/Reset":              true,
	"/machine.MachineService/Shutdown":           true,
	"/machine.MachineService/Upgrade":            true,
	"/machine.LifecycleService/Install":          true,
	"/machine.LifecycleService/Upgrade":          true,
	"/machine.LVMService/LogicalVolumeRemove":    true,
	"/machine.LVMService/PhysicalVolumeRemove":   true,
	"/machine.LVMService/VolumeGroupRemove":      true,
	"/machine.MDService/Destroy":                 true,
	"/storage.StorageService/BlockDeviceWipe":    true,
}

// local are the methods that processes of the node call on each other. Nobody
// may call them over the network.
var local = map[string]bool{
	"/ichor.v1.AuditIntake/Record": true,
}

// Local tells whether a method is for processes of the node alone.
func Local(method string) bool { return local[method] }

// reading are the methods that change nothing although a reader may not call
// them.
var reading = map[string]bool{
	"/ichor.v1.Audit/Records":                             true,
	"/ichor.v1.Audit/Verify":                              true,
	"/machine.MachineService/Copy":                        true,
	"/machine.MachineService/EtcdDowngradeValidate":       true,
	"/machine.MachineService/EtcdSnapshot":                true,
	"/machine.MachineService/GenerateClientConfiguration": true,
	"/machine.MachineService/Kubeconfig":                  true,
	"/machine.MachineService/PacketCapture":               true,
	"/machine.MachineService/Read":                        true,
}

// Changes tells whether a method may change something. What is not known may.
func Changes(method string) bool { return !reading[method] && !Allowed(method).Has(Reader) }

// A Mode is how a node treats its callers.
type Mode uint8

const (
	// Configured nodes know their callers by certificate.
	Configured Mode = iota
	// Maintenance nodes have no configuration, hence no CA: every caller is
	// a reader who may also call the few methods of first contact.
	Maintenance
)

// Allowed returns the roles that may call method on a configured node.
func Allowed(method string) Set {
	if allowed, ok := table[method]; ok {
		return allowed
	}

	return admins
}

// Anonymous tells whether a node in maintenance lets anybody call method.
func Anonymous(method string) bool {
	return anonymous[method] || Allowed(method).Has(Reader)
}

// Check returns nil if a caller with the given roles may call method, and
// otherwise a status with code PermissionDenied that names what is missing.
func Check(method string, roles Set, mode Mode) error {
	if Local(method) {
		return status.Errorf(codes.PermissionDenied, "%s is for processes of the node alone", method)
	}

	if roles&Allowed(method) != 0 {
		return nil
	}

	if mode == Maintenance {
		if roles.Has(Reader) && Anonymous(method) {
			return nil
		}

		return status.Errorf(codes.PermissionDenied,
			"%s is not served in maintenance mode: apply a machine configuration first", method)
	}

	return status.Errorf(codes.PermissionDenied,
		"%s needs a role of: %s; the caller's roles: %s: use a client configuration with such a role",
		method, Allowed(method), roles)
}
