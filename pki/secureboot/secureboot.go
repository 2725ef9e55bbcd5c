// Package secureboot makes what a firmware needs to trust our boot images: keys
// that sign unified kernel images and PCR policies, and the authenticated
// variables (PK, KEK, db) that enroll a certificate.
//
// Formats follow the UEFI specification 2.10, sections 8.2 (variables) and 32.4
// (signature lists).
package secureboot

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"time"
	"unicode/utf16"

	"github.com/ichor-os/ichor/pki"
)

// CertificateLifetime is that of a signing certificate. Firmware does not look
// at it.
const CertificateLifetime = 10 * 365 * 24 * time.Hour

// NewSigner makes an RSA key and a self-signed certificate for signing code:
// RSA 2048, because older firmware verifies nothing longer.
func NewSigner(commonName string, now time.Time) (pki.Pair, error) {
	return pki.SelfSigned(pki.RSA2048, pki.Template{
		CommonName: commonName,
		Usages:     []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning},
		Lifetime:   CertificateLifetime,
		NotBefore:  now,
	})
}

// Variable is an authenticated variable of the firmware.
type Variable struct {
	Name   string
	vendor guid
}

// The variables that make up the firmware's trust.
var (
	PK  = Variable{"PK", globalVariable}
	KEK = Variable{"KEK", globalVariable}
	DB  = Variable{"db", imageSecurityDatabase}
)

// guid is a GUID in the byte order of the firmware: the first three groups are
// little-endian.
type guid [16]byte

var (
	globalVariable        = guid{0x61, 0xdf, 0xe4, 0x8b, 0xca, 0x93, 0xd2, 0x11, 0xaa, 0x0d, 0x00, 0xe0, 0x98, 0x03, 0x2b, 0x8c}
	imageSecurityDatabase = guid{0xcb, 0xb2, 0x19, 0xd7, 0x3a, 0x3d, 0x96, 0x45, 0xa3, 0xbc, 0xda, 0xd0, 0x0e, 0x67, 0x65, 0x6f}
	certX509              = guid{0xa1, 0x59, 0xc0, 0xa5, 0xe4, 0x94, 0xa7, 0x4a, 0x87, 0xb5, 0xab, 0x15, 0x5c, 0x2b, 0xf0, 0x72}
	certTypePKCS7         = guid{0x9d, 0xd2, 0xaf, 0x4a, 0xdf, 0x68, 0xee, 0x49, 0x8a, 0xa9, 0x34, 0x7d, 0x37, 0x56, 0x65, 0xa7}
)

// attributes of the variables: non-volatile, at boot and at run time, replaced
// only by a newer signed value.
const attributes uint32 = 0x01 | 0x02 | 0x04 | 0x20

// Update makes the content of a .auth file: the variable's new value, which
// enrolls certificates, signed by signer. The firmware takes it only if now is
// later than the time of the value it has.
func (v Variable) Update(certificates []*x509.Certificate, signer pki.Pair, now time.Time) ([]byte, error) {
	pair, err := signer.TLS()
	if err != nil {
		return nil, fmt.Errorf("sign variable %s: %w", v.Name, err)
	}
	key, ok := pair.PrivateKey.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("sign variable %s: the key is %T; firmware takes RSA only", v.Name, pair.PrivateKey)
	}
	if len(certificates) == 0 {
		return nil, fmt.Errorf("sign variable %s: no certificate to enroll", v.Name)
	}
	value := signatureLists(certificates)
	stamp := efiTime(now)
	signed, err := signedData(v.signedBytes(stamp, value), pair.Leaf, key)
	if err != nil {
		return nil, fmt.Errorf("sign variable %s: %w", v.Name, err)
	}
	update := stamp
	update = binary.LittleEndian.AppendUint32(update, uint32(8+len(certTypePKCS7)+len(signed)))
	update = binary.LittleEndian.AppendUint16(update, 0x0200) // WIN_CERTIFICATE revision 2.0
	update = binary.LittleEndian.AppendUint16(update, 0x0ef1) // WIN_CERT_TYPE_EFI_GUID
	update = append(update, certTypePKCS7[:]...)
	update = append(update, signed...)
	return append(update, value...), nil
}

// signedBytes is what the signature covers.
func (v Variable) signedBytes(stamp, value []byte) []byte {
	var text []byte
	for _, unit := range utf16.Encode([]rune(v.Name)) {
		text = binary.LittleEndian.AppendUint16(text, unit)
	}
	text = append(text, v.vendor[:]...)
	text = binary.LittleEndian.AppendUint32(text, attributes)
	text = append(text, stamp...)
	return append(text, value...)
}

// signatureLists writes an EFI_SIGNATURE_LIST for each certificate. Its owner is
// derived from the certificate, so that the same input gives the same bytes.
func signatureLists(certificates []*x509.Certificate) []byte {
	var lists []byte
	for _, certificate := range certificates {
		sum := sha256.Sum256(certificate.Raw)
		owner := guid(sum[:16])
		size := len(owner) + len(certificate.Raw)
		lists = append(lists, certX509[:]...)
		lists = binary.LittleEndian.AppendUint32(lists, uint32(16+12+size))
		lists = binary.LittleEndian.AppendUint32(lists, 0) // no header
		lists = binary.LittleEndian.AppendUint32(lists, uint32(size))
		lists = append(lists, owner[:]...)
		lists = append(lists, certificate.Raw...)
	}
	return lists
}

// efiTime writes an EFI_TIME in UTC, whole seconds.
func efiTime(at time.Time) []byte {
	at = at.UTC()
	stamp := binary.LittleEndian.AppendUint16(nil, uint16(at.Year()))
	stamp = append(stamp, byte(at.Month()), byte(at.Day()), byte(at.Hour()), byte(at.Minute()), byte(at.Second()))
	return append(stamp, make([]byte, 16-len(stamp))...)
}

var (
	oidData          = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}
	oidSHA256        = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}
	oidRSAEncryption = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 1}
)

// pkcs7 is a SignedData (RFC 2315) without content and signed attributes, as
// firmware wants it.
type pkcs7 struct {
	Version          int
	DigestAlgorithms []pkix.AlgorithmIdentifier `asn1:"set"`
	ContentInfo      struct{ ContentType asn1.ObjectIdentifier }
	Certificates     asn1.RawValue
	SignerInfos      []signerInfo `asn1:"set"`
}

type signerInfo struct {
	Version            int
	IssuerAndSerial    issuerAndSerial
	DigestAlgorithm    pkix.AlgorithmIdentifier
	SignatureAlgorithm pkix.AlgorithmIdentifier
	Signature          []byte
}

type issuerAndSerial struct {
	Issuer asn1.RawValue
	Serial *big.Int
}

func signedData(content []byte, certificate *x509.Certificate, key *rsa.PrivateKey) ([]byte, error) {
	sum := sha256.Sum256(content)
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		return nil, err
	}
	digest := pkix.AlgorithmIdentifier{Algorithm: oidSHA256, Parameters: asn1.NullRawValue}
	signed := pkcs7{
		Version:          1,
		DigestAlgorithms: []pkix.AlgorithmIdentifier{digest},
		Certificates:     asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: certificate.Raw},
		SignerInfos: []signerInfo{{
			Version:            1,
			IssuerAndSerial:    issuerAndSerial{Issuer: asn1.RawValue{FullBytes: certificate.RawIssuer}, Serial: certificate.SerialNumber},
			DigestAlgorithm:    digest,
			SignatureAlgorithm: pkix.AlgorithmIdentifier{Algorithm: oidRSAEncryption, Parameters: asn1.NullRawValue},
			Signature:          signature,
		}},
	}
	signed.ContentInfo.ContentType = oidData
	return asn1.Marshal(signed)
}

// ParseUpdate takes a .auth file apart and verifies its signature against the
// certificate inside. It returns the certificates that the file enrolls.
func (v Variable) ParseUpdate(update []byte) ([]*x509.Certificate, error) {
	const head = 16 + 8 + 16
	if len(update) < head {
		return nil, errors.New("parse variable update: it is too short")
	}
	length := int(binary.LittleEndian.Uint32(update[16:]))
	if length < head-16 || length > len(update)-16 {
		return nil, errors.New("parse variable update: the length of its signature is wrong")
	}
	value := update[16+length:]
	var signed pkcs7
	if _, err := asn1.Unmarshal(update[head:16+length], &signed); err != nil {
		return nil, fmt.Errorf("parse variable update: %w", err)
	}
	certificate, err := x509.ParseCertificate(signed.Certificates.Bytes)
	if err != nil {
		return nil, fmt.Errorf("parse variable update: %w", err)
	}
	if len(signed.SignerInfos) != 1 {
		return nil, errors.New("parse variable update: it has not exactly one signer")
	}
	content := v.signedBytes(update[:16], value)
	if err := certificate.CheckSignature(x509.SHA256WithRSA, content, signed.SignerInfos[0].Signature); err != nil {
		return nil, fmt.Errorf("parse variable update: %w", err)
	}
	return parseSignatureLists(value)
}

func parseSignatureLists(lists []byte) ([]*x509.Certificate, error) {
	var certificates []*x509.Certificate
	for len(lists) > 0 {
		const head = 16 + 12 + 16
		if len(lists) < head {
			return nil, errors.New("parse signature list: it is too short")
		}
		size := int(binary.LittleEndian.Uint32(lists[16:]))
		if guid(lists[:16]) != certX509 || size < head || size > len(lists) {
			return nil, errors.New("parse signature list: it does not hold a certificate of its length")
		}
		certificate, err := x509.ParseCertificate(lists[head:size])
		if err != nil {
			return nil, fmt.Errorf("parse signature list: %w", err)
		}
		certificates = append(certificates, certificate)
		lists = lists[size:]
	}
	return certificates, nil
}
