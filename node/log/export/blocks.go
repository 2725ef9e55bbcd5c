package export

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/documents/runtime"
	"github.com/ichor-os/ichor/config/documents/security"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/log/spec"
	"github.com/ichor-os/ichor/resource"
)

// Ids of the resources that clients know.
const (
	kmsgID  = "kmsg-log"
	eventID = "event-sink"
)

// sharedKernel is why a kernel's log is not sent by a node that shares it.
const sharedKernel = "this node shares the kernel of the computer it runs on, whose log is not the node's: send it from there"

// Options are what the destinations depend on beside the config.
type Options struct {
	Exporter *Exporter
	// CommandLine is the kernel's, "" where it is not the node's own.
	CommandLine string
	// SharedKernel is true where the kernel is not the node's own.
	SharedKernel bool
}

// Blocks follow the config: which destinations there are, and how they do.
func Blocks(o Options) []resource.Block {
	return []resource.Block{
		resource.Reconciler("log-destinations", o.reconcile),
		resource.Mirror("log-export", spec.Destinations, nil, o.ensure, o.remove),
		resource.Source("log-destination-status", spec.DestinationStatuses, o.Exporter.watch),
	}
}

func (o Options) ensure(_ context.Context, _ *resource.Session, r resource.Resource[spec.DestinationSpec]) error {
	o.Exporter.Set(r.ID, r.Spec)
	return nil
}

func (o Options) remove(_ context.Context, _ *resource.Session, r resource.Resource[spec.DestinationSpec]) error {
	o.Exporter.Remove(r.ID)
	return nil
}

// argument is the last value of a key of the kernel's command line.
func argument(line, key string) string {
	value := ""
	for word := range strings.FieldsSeq(line) {
		if v, ok := strings.CutPrefix(word, key+"="); ok {
			value = v
		}
	}
	return value
}

// reconcile derives the destinations from the config and the command line.
func (o Options) reconcile(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil {
		return err
	}
	if !ok {
		c = nil
	}
	names := map[string]int{}
	put := func(d spec.DestinationSpec) {
		endpoint, err := url.Parse(d.Endpoint)
		if err != nil {
			return // validation refuses it
		}
		id := fmt.Sprintf("%s-%s-%s", d.Content, endpoint.Scheme, endpoint.Host)
		if names[id]++; names[id] > 1 {
			id = fmt.Sprintf("%s-%d", id, names[id])
		}
		d.Authorities = authorities(c)
		spec.Destinations.Put(s, id, d)
	}
	for _, d := range services(c) {
		put(d)
	}
	kernel := kernelURLs(c, o.CommandLine)
	if len(kernel) > 0 {
		spec.KmsgLogConfigs.Put(s, kmsgID, spec.KmsgLogConfigSpec{Destinations: kernel})
	}
	for _, endpoint := range kernel {
		d := spec.DestinationSpec{Endpoint: endpoint.String(), Content: spec.ContentKernel}
		if o.SharedKernel {
			d.Refused = sharedKernel
		}
		put(d)
	}
	if sink := eventSink(c, o.CommandLine); sink != "" {
		spec.EventSinkConfigs.Put(s, eventID, spec.EventSinkConfigSpec{Endpoint: sink})
		put(spec.DestinationSpec{Endpoint: "tcp://" + sink, Content: spec.ContentEvents})
	}
	return nil
}

// documents are those of a kind in a config, which may be nil.
func documents[T any](c *config.Config) []T {
	if c == nil {
		return nil
	}
	var out []T
	for _, d := range c.Documents() {
		if found, ok := d.(T); ok {
			out = append(out, found)
		}
	}
	return out
}

// authorities are the certificates of all TrustedRootsConfig documents.
func authorities(c *config.Config) string {
	var text strings.Builder
	for _, d := range documents[*security.TrustedRootsConfig](c) {
		text.WriteString(d.Certificates + "\n")
	}
	return text.String()
}

func services(c *config.Config) []spec.DestinationSpec {
	if c == nil || c.Main() == nil || c.Main().Machine == nil || c.Main().Machine.Logging == nil {
		return nil
	}
	var out []spec.DestinationSpec
	for _, d := range c.Main().Machine.Logging.Destinations {
		if d.Endpoint != nil {
			out = append(out, spec.DestinationSpec{Endpoint: d.Endpoint.String(), Content: spec.ContentServices, Tags: maps.Clone(d.ExtraTags)})
		}
	}
	return out
}

func kernelURLs(c *config.Config, commandLine string) []*url.URL {
	var out []*url.URL
	add := func(u *url.URL) {
		if !slices.ContainsFunc(out, func(o *url.URL) bool { return *o == *u }) {
			out = append(out, u)
		}
	}
	if text := argument(commandLine, "talos.logging.kernel"); text != "" {
		if u, err := url.Parse(text); err == nil && u.Host != "" {
			add(u)
		}
	}
	for _, d := range documents[*runtime.KmsgLogConfig](c) {
		add(d.URL.URL.URL)
	}
	return out
}

func eventSink(c *config.Config, commandLine string) string {
	for _, d := range documents[*runtime.EventSinkConfig](c) {
		return d.Endpoint
	}
	sink := argument(commandLine, "talos.events.sink")
	if _, _, err := net.SplitHostPort(sink); err != nil {
		return ""
	}
	return sink
}

// watchEvery is how often the counts of a status are renewed.
const watchEvery = 5 * time.Second

// watch shows the statuses: a change of state at once, counts from time to time.
func (x *Exporter) watch(ctx context.Context, feed *resource.Feed[spec.DestinationStatusSpec]) error {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		var items []resource.Item[spec.DestinationStatusSpec]
		for id, status := range x.Statuses() {
			items = append(items, resource.Item[spec.DestinationStatusSpec]{ID: id, Spec: status})
		}
		if err := feed.Replace(items...); err != nil {
			return err
		}
		select {
		case <-x.changed:
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
