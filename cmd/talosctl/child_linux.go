package main

import "github.com/ichor-os/ichor/localcluster/namespaces"

// runIfChild does the work of a local cluster's process, if this is one: they are
// this program started again.
func runIfChild() { namespaces.RunIfChild() }
