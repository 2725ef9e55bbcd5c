package generate

import (
	"fmt"
	"regexp"
	"strconv"
)

// Contract is a minor version of the config contract: generated configs use
// only what machines of that version and newer understand. The zero value is
// not a contract; use [CurrentContract] or [ParseContract].
type Contract struct{ major, minor int }

// CurrentContract is what new clusters get.
var CurrentContract = Contract{1, 13}

var contractShape = regexp.MustCompile(`^v?(\d{1,4})\.(\d{1,4})(\.\d+)?([-+][0-9A-Za-z.+-]+)?$`)

// ParseContract reads a version such as v1.12, 1.12 or v1.12.3; the patch level
// does not matter. Empty text is the current contract.
func ParseContract(text string) (Contract, error) {
	if text == "" {
		return CurrentContract, nil
	}
	parts := contractShape.FindStringSubmatch(text)
	if parts == nil {
		return Contract{}, fmt.Errorf("parse contract: %q is not a version such as v1.13", text)
	}
	major, _ := strconv.Atoi(parts[1]) // the shape allows digits only
	minor, _ := strconv.Atoi(parts[2])
	return Contract{major, minor}, nil
}

// String is the version with a leading v.
func (c Contract) String() string { return fmt.Sprintf("v%d.%d", c.major, c.minor) }

// since reports whether the contract is 1.minor or newer.
func (c Contract) since(minor int) bool {
	return c.major > 1 || (c.major == 1 && c.minor >= minor)
}
