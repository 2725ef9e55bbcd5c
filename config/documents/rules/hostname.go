package rules

import (
	"regexp"
	"sync"
)

// hostnamePattern is compiled when it is needed: most commands never do.
var hostnamePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?)*\.?$`)
})

// IsHostname tells whether text is a host name, with or without domain.
func IsHostname(text string) bool { return hostnamePattern().MatchString(text) }
