// Package resource is how a node knows things: typed resources in one store,
// and functions that derive resources from resources.
//
// A [Kind] is a type of resource; [Define] makes it from a spec struct. A
// reconciler is a function that reads kinds through a [Session] and puts
// others. The [Engine] notes what each run read, runs it again when that
// changes, commits what it put in one step, and collects what it no longer
// puts. So nothing lists its inputs, holds a state machine or cleans up after
// itself. The blocks that an engine runs:
//
//	Reconciler  resources from resources; pure
//	ForEach     the same, one key of a kind at a time
//	Source      the outside as resources
//	Mirror      resources into the outside
//	Job         long actions, asked for by a resource
//	Persist     kinds that survive a restart
//	Merge       layers of a kind into one
//
// The store below is package store, the encoding of specs package codec, and
// the gRPC service over all of it package state. Properties that callers may
// rely on have names; docs/explanation/engine.md lists them and the tests that
// hold them.
//
// The package logs nothing: what somebody should know goes to
// Options.Diagnose, what is going on stands in [Engine.Status] and
// [Engine.Counters].
package resource
