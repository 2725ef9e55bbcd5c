package state

import (
	"regexp"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/store"
)

// toWire gives a resource's message. The message shares the stored maps and
// slices; it is only for sending.
func toWire(r *store.Resource) (*resourcepb.Resource, error) {
	enc, err := r.Encode()
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	return &resourcepb.Resource{
		Metadata: &resourcepb.Metadata{
			Namespace:   r.Namespace,
			Type:        r.Key.Type,
			Id:          r.ID,
			Version:     r.Version.String(),
			Owner:       r.Owner,
			Phase:       r.Phase.String(),
			Created:     timestamp(r.Created),
			Updated:     timestamp(r.Updated),
			Finalizers:  r.Finalizers,
			Labels:      r.Labels,
			Annotations: r.Annotations,
		},
		Spec: &resourcepb.Spec{ProtoSpec: enc.Proto, YamlSpec: string(enc.YAML)},
	}, nil
}

func timestamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

// fromWire reads what a client wants to write.
func fromWire(def *resource.Definition, msg *resourcepb.Resource) (*store.Resource, error) {
	invalid := func(err error) error { return status.Errorf(codes.InvalidArgument, "resource: %v", err) }
	md := msg.GetMetadata()
	version, err := store.ParseVersion(md.GetVersion())
	if err != nil {
		return nil, invalid(err)
	}
	phase, err := store.ParsePhase(md.GetPhase())
	if err != nil {
		return nil, invalid(err)
	}
	k := key(def, md.GetNamespace(), md.GetId())
	if err := k.Check(); err != nil {
		return nil, invalid(err)
	}
	t := def.StoreType()
	spec, err := t.Decode(store.Encoded{
		Proto: msg.GetSpec().GetProtoSpec(), YAML: []byte(msg.GetSpec().GetYamlSpec()),
	})
	if err != nil {
		return nil, invalid(err)
	}
	return store.New(t, store.Metadata{
		Key: k, Version: version, Phase: phase,
		Finalizers: slices.Clone(md.GetFinalizers()), Labels: md.GetLabels(), Annotations: md.GetAnnotations(),
	}, spec), nil
}

// query reads the conditions of a list or watch.
func query(labels []*resourcepb.LabelQuery, ids *resourcepb.IDQuery) (store.Query, error) {
	var q store.Query
	for _, l := range labels {
		terms := store.LabelQuery{}
		for _, t := range l.GetTerms() {
			if _, known := resourcepb.LabelTerm_Operation_name[int32(t.GetOp())]; !known {
				return q, status.Errorf(codes.InvalidArgument, "label query: operation %d is unknown", t.GetOp())
			}
			terms = append(terms, store.Term{
				Key: t.GetKey(), Op: store.Op(t.GetOp()), Values: t.GetValue(), Invert: t.GetInvert(),
			})
		}
		q.Labels = append(q.Labels, terms)
	}
	if expr := ids.GetRegexp(); expr != "" {
		re, err := regexp.Compile(expr)
		if err != nil {
			return q, status.Errorf(codes.InvalidArgument, "id query: %v", err)
		}
		q.ID = re
	}
	return q, nil
}
