// Package conformance holds the tests that say what package resource promises.
// Each case runs twice: against the store directly, and through the gRPC
// service. The names of the cases P01 to P12 are the properties of
// docs/explanation/engine.md; the S cases are about the store alone.
package conformance
