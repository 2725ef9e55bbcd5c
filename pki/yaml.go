package pki

import (
	"encoding/base64"
	"fmt"
)

// yamlPair is how a pair stands in YAML: base64 of the PEM text.
type yamlPair struct {
	Crt string `yaml:"crt"`
	Key string `yaml:"key"`
}

// MarshalYAML writes the pair as crt and key, each base64 of its PEM text.
func (p Pair) MarshalYAML() (any, error) {
	return yamlPair{
		Crt: base64.StdEncoding.EncodeToString(p.Crt),
		Key: base64.StdEncoding.EncodeToString(p.Key),
	}, nil
}

// UnmarshalYAML reads what MarshalYAML writes.
func (p *Pair) UnmarshalYAML(unmarshal func(any) error) error {
	var text yamlPair
	if err := unmarshal(&text); err != nil {
		return err
	}
	crt, err := base64.StdEncoding.DecodeString(text.Crt)
	if err != nil {
		return fmt.Errorf("crt: %w", err)
	}
	key, err := base64.StdEncoding.DecodeString(text.Key)
	if err != nil {
		return fmt.Errorf("key: %w", redactBase64(err))
	}
	*p = Pair{Crt: crt, Key: key}
	return nil
}

// redactBase64 keeps the position and drops anything that could quote the input.
func redactBase64(err error) error {
	if corrupt, ok := err.(base64.CorruptInputError); ok {
		return corrupt
	}
	return fmt.Errorf("not base64")
}
