//go:build !linux

package main

// runIfChild does nothing: there are no local clusters on this system.
func runIfChild() {}
