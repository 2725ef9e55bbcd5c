// Package cluster holds the commands of `talosctl cluster`, which make and end
// clusters on this computer.
//
// [New] is the command; its subcommands are thin over package localcluster. What
// is added here: flags, progress, and the entries of a cluster in the client
// config and in the kubeconfig. On systems other than Linux there is nothing to
// make nodes of, and the command says so.
package cluster
