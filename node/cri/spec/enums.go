package spec

import "github.com/ichor-os/ichor/resource/enum"

// ImageCacheStatus is where the image cache stands.
type ImageCacheStatus int32

// The values of ImageCacheStatus.
const (
	ImageCacheStatusUnknown   ImageCacheStatus = 0
	ImageCacheStatusDisabled  ImageCacheStatus = 1
	ImageCacheStatusPreparing ImageCacheStatus = 2
	ImageCacheStatusReady     ImageCacheStatus = 3
)

var imageCacheStatusNames = enum.New(map[ImageCacheStatus]string{
	ImageCacheStatusUnknown:   "unknown",
	ImageCacheStatusDisabled:  "disabled",
	ImageCacheStatusPreparing: "preparing",
	ImageCacheStatusReady:     "ready",
})

// String gives the word.
func (v ImageCacheStatus) String() string { return imageCacheStatusNames.Text(v) }

// MarshalText gives the word.
func (v ImageCacheStatus) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *ImageCacheStatus) UnmarshalText(text []byte) error {
	return imageCacheStatusNames.Parse(text, v)
}

// ImageCacheCopyStatus is where copying the image cache to disk stands.
type ImageCacheCopyStatus int32

// The values of ImageCacheCopyStatus.
const (
	ImageCacheCopyStatusUnknown ImageCacheCopyStatus = 0
	ImageCacheCopyStatusSkipped ImageCacheCopyStatus = 1
	ImageCacheCopyStatusPending ImageCacheCopyStatus = 2
	ImageCacheCopyStatusReady   ImageCacheCopyStatus = 3
)

var imageCacheCopyStatusNames = enum.New(map[ImageCacheCopyStatus]string{
	ImageCacheCopyStatusUnknown: "unknown",
	ImageCacheCopyStatusSkipped: "skipped",
	ImageCacheCopyStatusPending: "pending",
	ImageCacheCopyStatusReady:   "ready",
})

// String gives the word.
func (v ImageCacheCopyStatus) String() string { return imageCacheCopyStatusNames.Text(v) }

// MarshalText gives the word.
func (v ImageCacheCopyStatus) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *ImageCacheCopyStatus) UnmarshalText(text []byte) error {
	return imageCacheCopyStatusNames.Parse(text, v)
}
