package v1alpha1

const example = `version: v1alpha1
machine:
    type: worker
    token: 0a1b2c.0123456789abcdef
    ca:
        crt: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCi0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K
        key: ""
    certSANs: []
    kubelet:
        nodeIP:
            validSubnets:
                - 192.0.2.0/24
    install:
        disk: /dev/sda
        wipe: false
    features:
        hostDNS:
            enabled: true
            forwardKubeDNSToHost: true
cluster:
    controlPlane:
        endpoint: https://203.0.113.10:6443
    clusterName: orchard
`
