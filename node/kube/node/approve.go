package node

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/resource"
)

// signer signs the certificates that kubelets serve with.
const signer = "kubernetes.io/kubelet-serving"

// requests are the open certificate requests of kubelets. Clients do not see the
// kind.
var requests = resource.Define[requestSpec]("KubeletRequests.kubernetes.ichor.dev", resource.Namespace("k8s"))

type requestSpec struct {
	Username string   `yaml:"username" protobuf:"1"`
	Groups   []string `yaml:"groups" protobuf:"2"`
	Request  string   `yaml:"request" protobuf:"3"`
	Usages   []string `yaml:"usages" protobuf:"4"`
}

// watchRequests shows what kubelets ask for, on a node that may approve it.
func (n *Node) watchRequests(ctx context.Context, feed *resource.Feed[requestSpec]) error {
	if err := feed.Replace(); err != nil {
		return err
	}
	return follow(ctx, n.Admin, "/apis/certificates.k8s.io/v1/certificatesigningrequests", func() string { return "spec.signerName=" + signer },
		func(list []map[string]any) error {
			var items []resource.Item[requestSpec]
			for _, o := range list {
				if item, open := requestOf(o); open {
					items = append(items, item)
				}
			}
			return feed.Replace(items...)
		},
		func(o map[string]any, deleted bool) error {
			item, open := requestOf(o)
			if deleted || !open {
				return feed.Delete(item.ID)
			}
			return feed.Put(item)
		})
}

// requestOf reads a request; open says that nobody decided on it yet.
func requestOf(o map[string]any) (item resource.Item[requestSpec], open bool) {
	r := into[struct {
		Metadata struct{ Name string }
		Spec     struct {
			SignerName, Username, Request string
			Groups, Usages                []string
		}
		Status struct {
			Conditions  []struct{ Type string }
			Certificate string
		}
	}](o)
	item = resource.Item[requestSpec]{ID: r.Metadata.Name, Spec: requestSpec{
		Username: r.Spec.Username, Groups: r.Spec.Groups, Request: r.Spec.Request, Usages: r.Spec.Usages,
	}}
	return item, r.Spec.SignerName == signer && len(r.Status.Conditions) == 0 && r.Status.Certificate == ""
}

// approve lets a kubelet have a certificate for its own node's name and
// addresses. Others stay open for people to decide on.
func (n *Node) approve(ctx context.Context, _ *resource.Session, r resource.Resource[requestSpec]) error {
	api, err := n.Admin()
	if err != nil {
		return err
	}
	defer api.Close()
	name := strings.TrimPrefix(r.Spec.Username, "system:node:")
	var node nodeObject
	if err := api.Get(ctx, "/api/v1/nodes/"+url.PathEscape(name), &node); err != nil {
		return err
	}
	var addresses []string
	for _, a := range node.Status.Addresses {
		addresses = append(addresses, a.Address)
	}
	if err := check(r.Spec, name, addresses); err != nil {
		n.Log.Warn("a kubelet's certificate request is not approved", "request", r.ID, "user", r.Spec.Username, "error", err)
		return nil
	}
	path := "/apis/certificates.k8s.io/v1/certificatesigningrequests/" + url.PathEscape(r.ID)
	var object map[string]any
	if err := api.Get(ctx, path, &object); err != nil {
		return err
	}
	object["status"] = map[string]any{"conditions": []any{map[string]any{
		"type": "Approved", "status": "True", "reason": "OwnNode", "message": "It asks for the names of its own node alone.",
	}}}
	if err := api.Put(ctx, path+"/approval", object); err != nil {
		return fmt.Errorf("approve kubelet certificate: %w", err)
	}
	n.Log.Info("kubelet certificate is approved", "node", name)
	return nil
}

// check reports why a request is for more than a node's own serving certificate.
func check(r requestSpec, name string, addresses []string) error {
	if r.Username != "system:node:"+name || !slices.Contains(r.Groups, "system:nodes") {
		return errors.New("the asker is no node")
	}
	text, err := base64.StdEncoding.DecodeString(r.Request)
	if err != nil {
		return fmt.Errorf("read request: %w", err)
	}
	request, err := pki.ParseRequest(text)
	if err != nil {
		return err
	}
	if request.Subject.CommonName != r.Username || !slices.Equal(request.Subject.Organization, []string{"system:nodes"}) {
		return errors.New("the subject is not the asker")
	}
	for _, usage := range r.Usages {
		if !slices.Contains([]string{"digital signature", "key encipherment", "server auth"}, usage) {
			return fmt.Errorf("usage %q is not for serving", usage)
		}
	}
	return checkNames(request, name, addresses)
}

func checkNames(request *x509.CertificateRequest, name string, addresses []string) error {
	if len(request.EmailAddresses) > 0 || len(request.URIs) > 0 {
		return errors.New("it asks for names that a node has not")
	}
	if len(request.DNSNames) == 0 && len(request.IPAddresses) == 0 {
		return errors.New("it asks for no name")
	}
	for _, host := range request.DNSNames {
		if host != name && !slices.Contains(addresses, host) {
			return fmt.Errorf("name %q is not the node's", host)
		}
	}
	for _, ip := range request.IPAddresses {
		if !slices.Contains(addresses, ip.String()) {
			return fmt.Errorf("address %s is not the node's", ip)
		}
	}
	return nil
}
