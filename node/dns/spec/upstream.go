package spec

// DNSUpstreamSpec is the spec of [DNSUpstreams]. The contract has no message
// for it, so clients read its YAML.
type DNSUpstreamSpec struct {
	Healthy bool   `yaml:"healthy"`
	Addr    string `yaml:"addr"`
}
