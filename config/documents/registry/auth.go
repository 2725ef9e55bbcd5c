package registry

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// AuthKind is the kind RegistryAuthConfig.
var AuthKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "RegistryAuthConfig", Named: true, Since: "1.13",
	New: func() document.Document { return new(AuthConfig) },
	Doc: "Gives the credentials for an image registry.",
	Example: `apiVersion: v1alpha1
kind: RegistryAuthConfig
name: registry.example.com
username: puller
password: example-password
`,
}

// AuthConfig gives the credentials for a registry.
type AuthConfig struct {
	DocName       string `yaml:"name" change:"restart=containerd" doc:"Registry: the host, with its port if it has one, as in image references."`
	Username      string `yaml:"username,omitempty" change:"restart=containerd" doc:"User to log in as."`
	Password      string `yaml:"password,omitempty" secret:"true" change:"restart=containerd" doc:"Password of the user."`
	Auth          string `yaml:"auth,omitempty" secret:"true" change:"restart=containerd" doc:"User and password as one text: base64 of user:password."`
	IdentityToken string `yaml:"identityToken,omitempty" secret:"true" change:"restart=containerd" doc:"Token that the registry gave out in place of a password."`
}

// Kind returns AuthKind.
func (c *AuthConfig) Kind() *document.Kind { return AuthKind }

// Name is the registry.
func (c *AuthConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *AuthConfig) Validate(v *document.Validation) {
	if rules.NameGiven(v, c.DocName) {
		adviseRegistry(v, c.DocName)
	}

	switch {
	case c.IdentityToken != "" && c.Username != "":
		v.Errorf("identityToken", "username and identityToken exclude each other").Fix("keep one of the two ways to log in")
	case c.Auth != "" && c.IdentityToken != "":
		v.Errorf("auth", "auth and identityToken exclude each other").Fix("keep one of the two ways to log in")
	case c.Auth != "" && c.Username != "":
		v.Errorf("auth", "auth and username exclude each other").Fix("keep one of the two ways to log in")
	}

	c.advise(v)
}

func (c *AuthConfig) advise(v *document.Validation) {
	switch {
	case c.Username == "" && c.Password == "" && c.Auth == "" && c.IdentityToken == "":
		v.Advisef("", "document gives no credentials")
	case c.Username != "" && c.Password == "" && c.Auth == "" && c.IdentityToken == "":
		v.Advisef("password", "username is given without password").Fix("add the password")
	case c.Password != "" && c.Username == "":
		v.Advisef("username", "password is given without username").Fix("add the username")
	}
}
