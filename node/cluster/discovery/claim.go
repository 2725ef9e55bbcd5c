package discovery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
	"github.com/ichor-os/ichor/atomicfile"
)

// ClaimFile is where a node keeps its claim.
const ClaimFile = "/system/state/etcd-claim.json"

// grantLife is how long a node stands back for another that it has granted the
// claim to, unless that takes it back.
const grantLife = time.Minute

// A refusal that may pass is tried again.
const (
	mostTries    = 8
	betweenTries = 500 * time.Millisecond
)

// ErrClaimed says that the cluster's etcd is somebody else's to make.
var ErrClaimed = errors.New("another node makes the cluster's etcd")

// claim is what is on disk: whether this node has been given the cluster's etcd
// to make, and who was out of reach then. A claim that was only asked for when
// the node went down counts for nothing.
type claim struct {
	Node        string    `json:"node"`
	Time        time.Time `json:"time"`
	Confirmed   bool      `json:"confirmed"`
	Unreachable []string  `json:"unreachable,omitempty"`
}

// Claims decides, with the other control planes, who makes the cluster's etcd.
// Make it with NewClaims.
type Claims struct {
	self, hostname string
	path           string
	now            func() time.Time
	log            *slog.Logger
	// occupied tells why this node can stand back for nobody: it has an etcd,
	// or is joining one.
	occupied func() (string, error)

	mu      sync.Mutex
	open    bool // asking at present
	yielded string
	own     bool // confirmed
	granted string
	until   time.Time
	who     string
}

// NewClaims makes the claims of a node and reads what is on disk.
func NewClaims(self, hostname, path string, occupied func() (string, error), now func() time.Time, log *slog.Logger) (*Claims, error) {
	c := &Claims{self: self, hostname: hostname, path: path, occupied: occupied, now: now, log: log}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read claim: %w", err)
	}
	var stored claim
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, fmt.Errorf("read claim: %s: %w", path, err)
	}
	c.own = stored.Confirmed && stored.Node == self
	return c, nil
}

// Own tells whether this node has been given the cluster's etcd to make, also in
// an earlier run.
func (c *Claims) Own() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.own
}

// Answer answers another node's claim: the node stands back unless it has an
// etcd, is joining one, stands back for another, or claims itself with the
// lower id.
func (c *Claims) Answer(in *ichorpb.ClaimRequest) *ichorpb.ClaimResponse {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := &ichorpb.ClaimResponse{NodeId: c.self, Hostname: c.hostname}
	if in.GetRelease() {
		if c.granted == in.GetNodeId() {
			c.granted = ""
		}
		out.Granted = true
		return out
	}
	if in.GetNodeId() == c.self {
		return out // the endpoint led back to the claimant
	}
	if out.Reason, out.MayPass = c.refusal(in); out.Reason != "" {
		c.log.Warn("claim to make the cluster's etcd is refused", "node", in.GetHostname(), "reason", out.Reason)
		return out
	}
	if c.open {
		c.yielded = in.GetHostname()
	}
	c.granted, c.who, c.until = in.GetNodeId(), in.GetHostname(), c.now().Add(grantLife)
	out.Granted = true
	return out
}

// refusal tells why this node does not stand back, and whether that may pass.
func (c *Claims) refusal(in *ichorpb.ClaimRequest) (reason string, mayPass bool) {
	if in.GetNodeId() == "" {
		return "the claim does not name a node", false
	}
	if c.own {
		return "this node makes the cluster's etcd", false
	}
	why, err := c.occupied()
	switch {
	case err != nil:
		return fmt.Sprintf("this node cannot tell whether it has an etcd: %v", err), false
	case why != "":
		return why, false
	case c.open && c.self < in.GetNodeId() && c.yielded == "":
		return "this node is claiming too, and goes first", false
	case c.standsBack() && c.granted != in.GetNodeId():
		return fmt.Sprintf("node %s was given the claim less than %s ago", c.who, grantLife), true
	}
	return "", false
}

func (c *Claims) standsBack() bool { return c.granted != "" && c.now().Before(c.until) }

// Claim asks each peer to stand back, and returns nil when this node may make
// the cluster's etcd: no peer that answers refuses. That is on disk then.
func (c *Claims) Claim(ctx context.Context, peers []string, dial func(string) (Client, error)) error {
	if done, err := c.begin(); done || err != nil {
		return err
	}
	request := &ichorpb.ClaimRequest{NodeId: c.self, Hostname: c.hostname}
	var found findings
	for try := 0; ; try++ {
		found = c.sort(peers, ask(ctx, peers, dial, request))
		// Where two claim at once, the other one takes its claim back.
		if len(found.refused) > 0 || len(found.passing) == 0 || try == mostTries || !pause(ctx, betweenTries) {
			break
		}
	}
	err := c.confirm(append(found.refused, found.passing...), found.unreachable)
	if err != nil {
		request.Release = true
		ask(context.WithoutCancel(ctx), peers, dial, request)
	}
	return err
}

// findings are what the peers said: why they refuse, for good or for now, and
// who did not answer.
type findings struct{ refused, passing, unreachable []string }

func (c *Claims) sort(peers []string, answers []answer) findings {
	var f findings
	for i, a := range answers {
		text := fmt.Sprintf("%s: %s", a.out.GetHostname(), a.out.GetReason())
		switch {
		case a.err != nil:
			f.unreachable = append(f.unreachable, fmt.Sprintf("%s: %v", peers[i], a.err))
		case a.out.GetNodeId() == c.self || a.out.GetGranted(): // the endpoint may be this node
		case a.out.GetMayPass():
			f.passing = append(f.passing, text)
		default:
			f.refused = append(f.refused, text)
		}
	}
	return f
}

// begin opens the claim; done means that this node has it already.
func (c *Claims) begin() (done bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.own:
		return true, nil
	case c.open:
		return false, fmt.Errorf("%w: this node is asking the others already", ErrClaimed)
	case c.standsBack():
		return false, fmt.Errorf("%w: node %s claimed it less than %s ago", ErrClaimed, c.who, grantLife)
	}
	if err := c.save(claim{Node: c.self, Time: c.now()}); err != nil {
		return false, err
	}
	c.open, c.yielded = true, ""
	return false, nil
}

// confirm closes the claim. A claim that a node with a lower id came across in
// the meantime is lost.
func (c *Claims) confirm(refused, unreachable []string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = false
	if c.yielded != "" {
		refused = append(refused, fmt.Sprintf("node %s claimed at the same time, and goes first", c.yielded))
	}
	if len(refused) > 0 {
		err := fmt.Errorf("%w: %s", ErrClaimed, strings.Join(refused, "; "))
		return errors.Join(err, c.drop())
	}
	if err := c.save(claim{Node: c.self, Time: c.now(), Confirmed: true, Unreachable: unreachable}); err != nil {
		return err
	}
	c.own = true
	for _, peer := range unreachable {
		c.log.Warn("control plane was out of reach when this node claimed the cluster's etcd", "peer", peer)
	}
	return nil
}

func (c *Claims) save(what claim) error {
	text, err := json.Marshal(what)
	if err != nil {
		return fmt.Errorf("write claim: %w", err)
	}
	if err := atomicfile.Replace(c.path, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("write claim: %w", err)
	}
	return nil
}

// Done takes the claim off the disk when there is an etcd: its data tells from
// then on, and a node that loses them must join the others, not start over.
func (c *Claims) Done() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.drop()
}

func (c *Claims) drop() error {
	if err := os.Remove(c.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("drop claim: %w", err)
	}
	return nil
}

type answer struct {
	out *ichorpb.ClaimResponse
	err error
}

// ask asks all peers side by side.
func ask(ctx context.Context, peers []string, dial func(string) (Client, error), in *ichorpb.ClaimRequest) []answer {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	answers := make([]answer, len(peers))
	var wg sync.WaitGroup
	for i, peer := range peers {
		wg.Go(func() {
			client, err := dial(peer)
			if err != nil {
				answers[i].err = err
				return
			}
			defer client.Close()
			answers[i].out, answers[i].err = client.Claim(ctx, in, grpc.WaitForReady(true))
		})
	}
	wg.Wait()
	return answers
}
