package kubeconfig

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// RemoveServer removes the clusters that lead to a server, the contexts of these
// clusters and the users that no other context has. It returns the names of the
// contexts. A current context that was removed leaves none.
func (c *Config) RemoveServer(url string) []string {
	clusters := c.remove("clusters", func(item *yaml.Node) bool { return value(item, "cluster", "server") == url })
	var users []string
	contexts := c.remove("contexts", func(item *yaml.Node) bool {
		if !slices.Contains(clusters, value(item, "context", "cluster")) {
			return false
		}
		users = append(users, value(item, "context", "user"))
		return true
	})
	for _, name := range c.Names("contexts") {
		users = slices.DeleteFunc(users, func(user string) bool {
			return user == value(c.item("contexts", name), "context", "user")
		})
	}
	c.remove("users", func(item *yaml.Node) bool { return slices.Contains(users, get(item, "name").Value) })
	if slices.Contains(contexts, c.CurrentContext()) {
		set(c.root, "current-context", scalar(""))
	}
	return contexts
}

// remove takes entries out of a section and returns their names.
func (c *Config) remove(section string, unwanted func(item *yaml.Node) bool) []string {
	list := get(c.root, section)
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil
	}
	var removed []string
	list.Content = slices.DeleteFunc(list.Content, func(item *yaml.Node) bool {
		if !unwanted(item) {
			return false
		}
		removed = append(removed, get(item, "name").Value)
		return true
	})
	return removed
}

// value returns a text two levels down, or "".
func value(item *yaml.Node, first, second string) string {
	if inner := get(item, first); inner != nil {
		if found := get(inner, second); found != nil {
			return found.Value
		}
	}
	return ""
}

// Server is the URL of the API server of the current context, or "".
func (c *Config) Server() string {
	if cluster := c.currentCluster(); cluster != nil {
		return value(cluster, "cluster", "server")
	}
	return ""
}

// SetServer changes the URL of the API server of the current context.
func (c *Config) SetServer(url string) {
	if cluster := c.currentCluster(); cluster != nil {
		if inner := get(cluster, "cluster"); inner != nil {
			set(inner, "server", scalar(url))
		}
	}
}

func (c *Config) currentCluster() *yaml.Node {
	context := c.item("contexts", c.CurrentContext())
	if context == nil {
		return nil
	}
	return c.item("clusters", value(context, "context", "cluster"))
}

// Known returns the URL of the API server that this kubeconfig has for the
// current cluster of another one, or "" if it does not have that cluster: the
// same name with the same authority.
func (c *Config) Known(other *Config) string {
	theirs := other.currentCluster()
	if theirs == nil {
		return ""
	}
	own := c.item("clusters", get(theirs, "name").Value)
	const authority = "certificate-authority-data"
	if own == nil || value(own, "cluster", authority) == "" || value(own, "cluster", authority) != value(theirs, "cluster", authority) {
		return ""
	}
	return value(own, "cluster", "server")
}
