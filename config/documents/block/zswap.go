package block

import "github.com/ichor-os/ichor/config/document"

// ZswapKind is the kind ZswapConfig.
var ZswapKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "ZswapConfig", Since: "1.13",
	New: func() document.Document { return new(ZswapConfig) },
	Doc: "Compresses memory before it is swapped out.",
	Example: `apiVersion: v1alpha1
kind: ZswapConfig
maxPoolPercent: 25
shrinkerEnabled: true
`,
}

// ZswapConfig sets up compressed swap.
type ZswapConfig struct {
	MaxPoolPercent  *int  `yaml:"maxPoolPercent,omitempty" doc:"Largest share of memory that compressed pages may take, in percent." default:"20"`
	ShrinkerEnabled *bool `yaml:"shrinkerEnabled,omitempty" doc:"Whether cold compressed pages are written to disk when memory is short." default:"true"`
}

// Kind returns ZswapKind.
func (c *ZswapConfig) Kind() *document.Kind { return ZswapKind }

// Name is empty: there is one such document.
func (c *ZswapConfig) Name() string { return "" }

// Validate checks the document.
func (c *ZswapConfig) Validate(v *document.Validation) {
	const whole = 100

	if p := c.MaxPoolPercent; p != nil && (*p < 0 || *p > whole) {
		v.Errorf("maxPoolPercent", "percentage is out of range: %d", *p).Fix("use a number from 0 to %d", whole)
	}
}
