package spec

import (
	"time"

	"github.com/ichor-os/ichor/resource/value"
)

// TimeStatusSpec is the spec of [TimeStatuses].
type TimeStatusSpec struct {
	Synced       bool `yaml:"synced" protobuf:"1"`
	Epoch        int  `yaml:"epoch" protobuf:"2"`
	SyncDisabled bool `yaml:"syncDisabled" protobuf:"3"`
}

// AdjtimeStatusSpec is the spec of [AdjtimeStatuses].
type AdjtimeStatusSpec struct {
	Offset                   time.Duration `yaml:"offset" protobuf:"1"`
	FrequencyAdjustmentRatio float64       `yaml:"frequencyAdjustmentRatio" protobuf:"2"`
	MaxError                 time.Duration `yaml:"maxError" protobuf:"3"`
	EstError                 time.Duration `yaml:"estError" protobuf:"4"`
	Status                   string        `yaml:"status" protobuf:"5"`
	Constant                 int           `yaml:"constant" protobuf:"6"`
	SyncStatus               bool          `yaml:"syncStatus" protobuf:"7"`
	State                    string        `yaml:"state" protobuf:"8"`
}

// TimeServerSpecSpec is the spec of [TimeServerSpecs].
type TimeServerSpecSpec struct {
	TimeServers []string    `yaml:"timeServers" protobuf:"1"`
	Layer       value.Layer `yaml:"layer" protobuf:"2"`
}

// TimeServerStatusSpec is the spec of [TimeServerStatuses].
type TimeServerStatusSpec struct {
	TimeServers []string `yaml:"timeServers" protobuf:"1"`
}
