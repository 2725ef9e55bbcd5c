package cluster

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
	"github.com/ichor-os/ichor/atomicfile"
	"github.com/ichor-os/ichor/config"
	clusterdocs "github.com/ichor-os/ichor/config/documents/cluster"
	"github.com/ichor-os/ichor/node/cluster/discovery"
	"github.com/ichor-os/ichor/node/cluster/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// SeedFile keeps the addresses of the control plane nodes that were known last.
const SeedFile = "/system/state/discovery-seeds.json"

// trustdPort is where control plane nodes answer each other.
const trustdPort = 50001

// answerTime is how long others take to answer a node that is new.
const answerTime = 500 * time.Millisecond

// renewEvery is how often a node looks whether its record is old.
const renewEvery = 10 * time.Second

// Discovery runs the exchange with the other nodes while the node has a config
// that wants it. The zero value waits for Start.
type Discovery struct {
	Log *slog.Logger
	// HasEtcd tells whether the node has data of the cluster's etcd.
	HasEtcd func() (bool, error)
	// Seeds is the path of the file of seeds.
	Seeds string
	// Service answers the other nodes.
	Service discovery.Service

	mu      sync.Mutex
	started resource.Signal
	table   *discovery.Table
	peers   *discovery.Peers
	claims  *discovery.Claims
	dialer  discovery.Dialer
	self    string
	local   *ichorpb.Affiliate
	host    string
}

// who is what a config says about discovery.
type who struct {
	enabled bool
	id      string
	secret  []byte
	host    string
	peers   []string
}

// identityOf reads a config; the document of 1.14 goes before the main one.
func identityOf(c *config.Config) who {
	var w who
	if main := c.Main(); main != nil && main.Cluster != nil {
		w.id, w.secret = main.Cluster.ID, secretOf(main.Cluster.Secret)
		w.enabled = main.Cluster.Discovery != nil && main.Cluster.Discovery.Enabled != nil && *main.Cluster.Discovery.Enabled
		if control := main.Cluster.ControlPlane; control != nil && control.Endpoint != nil {
			w.host = control.Endpoint.Hostname()
		}
	}
	if doc, ok := c.Find(clusterdocs.DiscoveryIdentityKind.Kind, "").(*clusterdocs.DiscoveryIdentityConfig); ok {
		w.id, w.secret, w.enabled = doc.ClusterID, secretOf(doc.ClusterSecret), true
	}
	if doc, ok := c.Find(clusterdocs.DiscoveryPeersKind.Kind, "").(*clusterdocs.DiscoveryPeersConfig); ok {
		w.peers = doc.Peers
	}
	w.enabled = w.enabled && len(w.secret) > 0
	return w
}

// secretOf decodes a secret; one that is no base64 counts as it is.
func secretOf(text string) []byte {
	if raw, err := base64.StdEncoding.DecodeString(text); err == nil {
		return raw
	}
	return []byte(text)
}

// Start begins the exchange that a config asks for, once, and goes on until ctx
// ends. claims is nil on workers.
func (d *Discovery) Start(ctx context.Context, c *config.Config, dialer discovery.Dialer, self string, claims *discovery.Claims) error {
	w := identityOf(c)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.claims, d.dialer, d.self, d.host = claims, dialer, self, w.host
	if !w.enabled {
		d.Service.Use(nil, claims)
		return nil
	}
	seal, err := discovery.NewSeal(w.secret, w.id)
	if err != nil {
		return err
	}
	d.table = discovery.NewTable(self, seal, time.Now, d.Log)
	d.Service.Use(d.table, claims)
	// Known ones of last time first: they are asked until others are known.
	seeds := append(append(LoadSeeds(d.Seeds), w.host), w.peers...)
	seeds = slices.DeleteFunc(seeds, func(s string) bool { return s == "" })
	d.peers = &discovery.Peers{
		Table: d.table, Log: d.Log, Dial: dialer.Dial, Port: trustdPort,
		Seeds: func() []string { return seeds },
		Link:  &discovery.Link{Table: d.table, Port: trustdPort, Use: discovery.OwnLinks},
	}
	go d.peers.Run(ctx)
	go d.renew(ctx)
	d.started.Notify()
	return nil
}

// running gives the table, or nil before Start or where discovery is off.
func (d *Discovery) running() *discovery.Table {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.table
}

// renew says again who the node is before others forget it, or when its etcd
// has come or gone.
func (d *Discovery) renew(ctx context.Context) {
	had := false
	for ctx.Err() == nil {
		has, err := d.HasEtcd()
		if table := d.running(); err == nil && table != nil && (has != had || table.Stale()) {
			d.tell(nil)
			had = has
		}
		select {
		case <-ctx.Done():
		case <-time.After(renewEvery):
		}
	}
}

// tell puts the node's own record; nil repeats it.
func (d *Discovery) tell(a *ichorpb.Affiliate) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a != nil {
		d.local = a
	}
	if d.table == nil || d.local == nil {
		return
	}
	if has, err := d.HasEtcd(); err == nil {
		d.local.Etcd = has
	}
	if err := d.table.Tell(d.local); err != nil {
		d.Log.Error("record of this node is not told", "error", err)
	}
}

// announce is the mirror of the local affiliate into the exchange.
func (d *Discovery) announce(_ context.Context, s *resource.Session, r resource.Resource[spec.AffiliateSpec]) error {
	if !strings.HasPrefix(r.ID, localPrefix) {
		return nil
	}
	s.WakeOn(&d.started)
	a := &ichorpb.Affiliate{
		NodeId: r.Spec.NodeID, Hostname: r.Spec.Hostname, Nodename: r.Spec.Nodename,
		OperatingSystem: r.Spec.OperatingSystem, MachineType: int32(r.Spec.MachineType),
	}
	for _, address := range r.Spec.Addresses {
		a.Addresses = append(a.Addresses, address.String())
	}
	if r.Spec.ControlPlane != nil {
		a.ApiServerPort = int32(r.Spec.ControlPlane.Port)
	}
	d.tell(a)
	return nil
}

// withdraw has nothing to undo: a record ends by its life or by Leave.
func (*Discovery) withdraw(context.Context, *resource.Session, resource.Resource[spec.AffiliateSpec]) error {
	return nil
}

// feed shows the other nodes of the table as raw affiliates.
func (d *Discovery) feed(ctx context.Context, f *resource.Feed[spec.AffiliateSpec]) error {
	last := ""
	for {
		table := d.running()
		var items []resource.Item[spec.AffiliateSpec]
		changed := make(<-chan struct{})
		if table != nil {
			changed = table.Changed()
			items = d.items(table)
		}
		if err := f.Replace(items...); err != nil {
			return err
		}
		if table != nil {
			last = d.keepSeeds(table, last)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-time.After(time.Second):
		}
	}
}

func (d *Discovery) items(table *discovery.Table) []resource.Item[spec.AffiliateSpec] {
	var items []resource.Item[spec.AffiliateSpec]
	for _, a := range table.Affiliates() {
		if a.GetNodeId() == d.self {
			continue
		}
		found := spec.AffiliateSpec{
			NodeID: a.GetNodeId(), Hostname: a.GetHostname(), Nodename: a.GetNodename(), OperatingSystem: a.GetOperatingSystem(),
			MachineType: value.MachineType(a.GetMachineType()), Addresses: addressList(a),
		}
		if a.GetApiServerPort() > 0 {
			found.ControlPlane = &spec.ControlPlane{Port: int(a.GetApiServerPort())}
		}
		items = append(items, resource.Item[spec.AffiliateSpec]{ID: foundPrefix + a.GetNodeId(), Spec: found})
	}
	return items
}

func addressList(a *ichorpb.Affiliate) []netip.Addr {
	var all []netip.Addr
	for _, text := range a.GetAddresses() {
		if address, err := netip.ParseAddr(text); err == nil {
			all = append(all, address)
		}
	}
	return all
}

// others are the control planes that are known but this node.
func (d *Discovery) others(keep func(*ichorpb.Affiliate) bool) []netip.Addr {
	table := d.running()
	if table == nil {
		return nil
	}
	var all []netip.Addr
	for _, a := range table.Affiliates() {
		if a.GetNodeId() != d.self && value.MachineType(a.GetMachineType()) == value.MachineTypeControlplane && keep(a) {
			if addresses := addressList(a); len(addresses) > 0 {
				all = append(all, addresses[0])
			}
		}
	}
	return all
}

// listen tells of this node and gives those who were configured in the same
// moment time to tell of themselves.
func (d *Discovery) listen(ctx context.Context, search *discovery.Peers) {
	for range 10 {
		d.mu.Lock()
		told := d.local != nil
		d.mu.Unlock()
		if told || ctx.Err() != nil {
			break
		}
		time.Sleep(answerTime)
	}
	search.Exchange(ctx)
	if len(d.others(every)) == 0 {
		time.Sleep(answerTime)
	}
}

func every(*ichorpb.Affiliate) bool { return true }

// EtcdMembers are the addresses of other nodes that say they have an etcd.
func (d *Discovery) EtcdMembers() []netip.Addr { return d.others((*ichorpb.Affiliate).GetEtcd) }

// Claim asks all control planes that are known, and the endpoint, whether this
// node may make the cluster's etcd.
func (d *Discovery) Claim(ctx context.Context) error {
	d.mu.Lock()
	claims, dialer, host, search := d.claims, d.dialer, d.host, d.peers
	d.mu.Unlock()
	if claims == nil {
		return errors.New("claim etcd: this node is no control plane node")
	}
	if search != nil {
		d.listen(ctx, search)
	}
	var peers []string
	for _, address := range d.others(every) {
		peers = append(peers, netip.AddrPortFrom(address, trustdPort).String())
	}
	for _, seed := range append([]string{host}, LoadSeeds(d.Seeds)...) {
		if address := net.JoinHostPort(seed, strconv.Itoa(trustdPort)); seed != "" && !slices.Contains(peers, address) {
			peers = append(peers, address)
		}
	}
	return claims.Claim(ctx, peers, dialer.Dial)
}

// Leave tells the others that this node goes for good.
func (d *Discovery) Leave(ctx context.Context) error {
	d.mu.Lock()
	peers := d.peers
	d.local = nil
	d.mu.Unlock()
	if peers == nil {
		return nil
	}
	return peers.Leave(ctx)
}

// keepSeeds writes the addresses of the control planes when they changed. With
// none known, those of before stay.
func (d *Discovery) keepSeeds(table *discovery.Table, last string) string {
	var seeds []string
	for _, a := range table.Affiliates() {
		if a.GetNodeId() != d.self && value.MachineType(a.GetMachineType()) == value.MachineTypeControlplane {
			seeds = append(seeds, a.GetAddresses()...)
		}
	}
	text, err := json.Marshal(seeds)
	if err != nil || len(seeds) == 0 || string(text) == last {
		return last
	}
	if err := atomicfile.Replace(d.Seeds, text, 0o600); err != nil {
		d.Log.Warn("addresses of control planes are not kept for the next start", "error", err)
		return last
	}
	return string(text)
}

// LoadSeeds reads the file of seeds; one that cannot be read is none.
func LoadSeeds(path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			slog.Warn("control planes of last time are not known", "error", err)
		}
		return nil
	}
	var seeds []string
	if json.Unmarshal(text, &seeds) != nil {
		return nil
	}
	return seeds
}

// portOf is the port of the node's API server.
func portOf(c *config.Config) int {
	if control := c.Main().Cluster.ControlPlane; control != nil && control.LocalAPIServerPort != 0 {
		return control.LocalAPIServerPort
	}
	return 6443
}
