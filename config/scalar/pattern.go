package scalar

// Patterns of addresses for JSON schemas, in the part of the syntax that
// ECMAScript and Go share. They accept what net/netip parses.
const (
	octetPattern = `(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])`
	ipv4Pattern  = octetPattern + `(\.` + octetPattern + `){3}`
	groupPattern = `[0-9a-fA-F]{1,4}`
	ipv6Pattern  = `((` + groupPattern + `:){7}` + groupPattern +
		`|(` + groupPattern + `:){1,7}:` +
		`|(` + groupPattern + `:){1,6}:` + groupPattern +
		`|(` + groupPattern + `:){1,5}(:` + groupPattern + `){1,2}` +
		`|(` + groupPattern + `:){1,4}(:` + groupPattern + `){1,3}` +
		`|(` + groupPattern + `:){1,3}(:` + groupPattern + `){1,4}` +
		`|(` + groupPattern + `:){1,2}(:` + groupPattern + `){1,5}` +
		`|` + groupPattern + `:(:` + groupPattern + `){1,6}` +
		`|:((:` + groupPattern + `){1,7}|:)` +
		`|(` + groupPattern + `:){6}` + ipv4Pattern +
		`|(` + groupPattern + `:){0,5}:(` + groupPattern + `:){0,5}` + ipv4Pattern +
		`|::(` + groupPattern + `:){0,5}` + ipv4Pattern + `)`
	addressPattern  = `^(` + ipv4Pattern + `|` + ipv6Pattern + `(%.+)?)?$`
	prefixPattern   = `^(` + ipv4Pattern + `/(3[0-2]|[12]?[0-9])|` + ipv6Pattern + `/(12[0-8]|1[01][0-9]|[1-9]?[0-9]))?$`
	portPattern     = `(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[0-5]?[0-9]{1,4})`
	addrPortPattern = `^(` + ipv4Pattern + `:` + portPattern + `|\[` + ipv6Pattern + `(%.+)?\]:` + portPattern + `)?$`
	base64Pattern   = `^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$`
)
