package cri

import (
	"github.com/ichor-os/ichor/config/document"
)

// ImageCacheKind is the kind ImageCacheConfig.
var ImageCacheKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "ImageCacheConfig", Since: "1.14",
	New: func() document.Document { return new(ImageCacheConfig) },
	Doc: "Says whether images come from the cache on the node's own disk first.",
	Example: `apiVersion: v1alpha1
kind: ImageCacheConfig
local:
  enabled: true
`,
}

// ImageCacheConfig sets up the image cache.
type ImageCacheConfig struct {
	Local LocalImageCache `yaml:"local,omitempty" change:"restart=containerd" doc:"The cache on the node's own disk."`
}

// LocalImageCache is the cache on the node's own disk.
type LocalImageCache struct {
	Enabled *bool `yaml:"enabled,omitempty" doc:"Whether the cache is used." default:"false"`
}

// Kind returns ImageCacheKind.
func (c *ImageCacheConfig) Kind() *document.Kind { return ImageCacheKind }

// Name is empty: there is one such document.
func (c *ImageCacheConfig) Name() string { return "" }

// Validate accepts everything: there is nothing to check.
func (c *ImageCacheConfig) Validate(*document.Validation) {}
