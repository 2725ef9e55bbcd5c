package export

import (
	"encoding/json"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/node/log/spec"
)

// Event sends an event to the sinks, as a line of JSON: its id, actor, type and
// the fields of its message.
func (x *Exporter) Event(e *machinepb.Event) {
	_, name, _ := strings.Cut(e.GetData().GetTypeUrl(), "/")
	name = strings.TrimPrefix(name, "runtime/")
	fields := map[string]any{"id": e.GetId(), "type": name, keyService: "events"}
	if e.GetActorId() != "" {
		fields["actor_id"] = e.GetActorId()
	}
	if kind, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(name)); err == nil {
		message := kind.New().Interface()
		if proto.Unmarshal(e.GetData().GetValue(), message) == nil {
			if body, err := protojson.Marshal(message); err == nil {
				fields["data"] = json.RawMessage(body)
			}
		}
	}
	x.Publish(spec.ContentEvents, Entry{At: time.Now(), Fields: fields})
}
