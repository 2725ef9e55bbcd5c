// Package config keeps a node's machine configs: the one in force, the one it
// starts with and the last good one, on disk in the STATE folder, and the way a
// new one comes in.
//
// [RPC] takes a config, says what it takes (its plan) and hands it to the
// [Keeper], which makes it the one in force: by putting the resource that all
// reconcilers read, or by a reboot. A change that may cut the node off from the
// network stays only if it is confirmed.
package config
