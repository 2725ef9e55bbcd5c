// Package generate makes the machine configs of a new cluster from its name,
// endpoint and secrets, as machines of a given [Contract] understand them.
package generate
