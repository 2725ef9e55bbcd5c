// Package pki makes and reads the keys and certificates of a cluster: its
// authorities, the certificates they sign, and signing requests.
//
// Everything travels as PEM text, a certificate with its key as a [Pair].
// An [Authority] signs. Which authorities a cluster has, with which algorithm,
// subject and lifetime, stands in cluster.go.
//
// Keys are written with the PEM types that other tools of this API write
// (ED25519 PRIVATE KEY, EC PRIVATE KEY, RSA PRIVATE KEY); reading accepts
// PKCS #8 and the older types as well. Encrypted keys are refused.
//
// The package keeps nothing and writes no files. The secrets of a whole cluster
// are in pki/secrets, the files a user holds in pki/talosconfig and
// pki/kubeconfig.
package pki
