package scalar

import "log/slog"

// CertificateAndKey is a certificate with its key, each base64 of PEM. A key
// that is not known is empty.
type CertificateAndKey struct {
	Crt Base64 `yaml:"crt" doc:"Certificate, base64 of PEM."`
	Key Base64 `yaml:"key" secret:"true" doc:"Private key, base64 of PEM."`
}

// LogValue keeps the key out of logs.
func (c CertificateAndKey) LogValue() slog.Value {
	return slog.GroupValue(slog.Int("crt bytes", len(c.Crt)), slog.String("key", "[redacted]"))
}

// Certificate is a certificate alone.
type Certificate struct {
	Crt Base64 `yaml:"crt" doc:"Certificate, base64 of PEM."`
}

// Key is a key alone.
type Key struct {
	Key Base64 `yaml:"key" secret:"true" doc:"Private key, base64 of PEM."`
}

// LogValue keeps the key out of logs.
func (Key) LogValue() slog.Value { return slog.StringValue("[redacted]") }
