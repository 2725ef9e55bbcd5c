package trail

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

const (
	// MaxRequest is the size of the largest request that Summary looks into, in
	// bytes.
	MaxRequest = 64 << 10
	// maxParameters and maxDepth bound a summary.
	maxParameters, maxDepth = 16, 3
	// maxShown bounds a text that is shown.
	maxShown = 256
	// telling is the size from which on a hash of bytes does not give them
	// away, in bytes.
	telling = 256
)

// shown are the fields whose text says what a call is about and is no secret. Of
// other text the summary has the length alone.
var shown = map[protoreflect.Name]bool{
	"container_id": true, "device": true, "device_name": true, "disk": true, "driver": true, "id": true,
	"image": true, "image_ref": true, "image_name": true, "interface": true, "kind": true, "name": true,
	"namespace": true, "owner": true, "path": true, "reference": true, "root": true, "service": true,
	"source": true, "type": true, "version": true, "volume_group": true, "roles": true, "label": true,
	"labels": true, "devices": true, "member": true, "member_id": true, "tail_id": true, "phase": true,
}

// Summary says in a few words a field what a request to a method asks for. It has
// no secrets: bytes are counted, and so is text that is not known to be harmless.
func Summary(method string, request []byte) map[string]string {
	if len(request) == 0 {
		return nil
	}

	name := protoreflect.FullName(strings.ReplaceAll(strings.TrimPrefix(method, "/"), "/", "."))

	found, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
	descriptor, ok := found.(protoreflect.MethodDescriptor)

	if err != nil || !ok {
		return map[string]string{"request": fmt.Sprintf("%d bytes", len(request))}
	}

	kind, err := protoregistry.GlobalTypes.FindMessageByName(descriptor.Input().FullName())
	if err != nil {
		return map[string]string{"request": fmt.Sprintf("%d bytes", len(request))}
	}

	message := kind.New()

	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(request, message.Interface()); err != nil {
		return map[string]string{"request": fmt.Sprintf("%d bytes that are no %s", len(request), descriptor.Input().Name())}
	}

	out := map[string]string{}
	describe(out, "", message, maxDepth)

	return out
}

func describe(out map[string]string, prefix string, message protoreflect.Message, depth int) {
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		key := prefix + string(field.Name())

		switch {
		case len(out) >= maxParameters:
			return false
		case field.IsMap():
			out[key] = fmt.Sprintf("%d entries", value.Map().Len())
		case field.IsList():
			out[key] = list(field, value.List())
		case field.Message() != nil && depth > 1:
			describe(out, key+".", value.Message(), depth-1)
		case field.Message() != nil:
			out[key] = string(field.Message().Name())
		default:
			out[key] = scalar(field, value)
		}

		return true
	})
}

func list(field protoreflect.FieldDescriptor, values protoreflect.List) string {
	if field.Kind() != protoreflect.StringKind || !shown[field.Name()] {
		return fmt.Sprintf("%d items", values.Len())
	}

	var items []string
	for i := range min(values.Len(), maxParameters) {
		items = append(items, values.Get(i).String())
	}

	return limit(strings.Join(items, ", "))
}

func scalar(field protoreflect.FieldDescriptor, value protoreflect.Value) string {
	switch field.Kind() {
	case protoreflect.StringKind:
		if shown[field.Name()] {
			return limit(value.String())
		}

		return fmt.Sprintf("%d characters", len(value.String()))
	case protoreflect.BytesKind:
		if len(value.Bytes()) < telling {
			return fmt.Sprintf("%d bytes", len(value.Bytes()))
		}

		sum := sha256.Sum256(value.Bytes())

		return fmt.Sprintf("%d bytes, sha256 %s", len(value.Bytes()), hex.EncodeToString(sum[:]))
	case protoreflect.EnumKind:
		if known := field.Enum().Values().ByNumber(value.Enum()); known != nil {
			return string(known.Name())
		}
	}

	return value.String()
}

func limit(text string) string {
	if len(text) > maxShown {
		return text[:maxShown] + "…"
	}

	return text
}
