package addons

// object is a Kubernetes object as the API takes it.
type object = map[string]any

const system = "kube-system"

func meta(name, namespace string, labels ...string) object {
	m := object{"name": name}
	if namespace != "" {
		m["namespace"] = namespace
	}
	if len(labels) > 0 {
		set := object{}
		for i := 0; i+1 < len(labels); i += 2 {
			set[labels[i]] = labels[i+1]
		}
		m["labels"] = set
	}
	return m
}

func serviceAccount(name string) object {
	return object{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta(name, system)}
}

func configMap(name string, data object, labels ...string) object {
	return object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta(name, system, labels...), "data": data}
}

// rule is one rule of a role; groups, resources and verbs are lists.
func rule(groups, resources, verbs []any) object {
	return object{"apiGroups": groups, "resources": resources, "verbs": verbs}
}

func clusterRole(name string, rules ...any) object {
	return object{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": meta(name, ""), "rules": rules}
}

func list(items ...any) []any { return items }

// bind gives a cluster role to a group, or to a service account of kube-system.
func bind(name, role, subjectKind, subject string) object {
	who := object{"kind": subjectKind, "name": subject}
	if subjectKind == "ServiceAccount" {
		who["namespace"] = system
	} else {
		who["apiGroup"] = "rbac.authorization.k8s.io"
	}
	return object{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": meta(name, ""),
		"roleRef":  object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
		"subjects": list(who),
	}
}

func hostPath(name, path, kind string) object {
	return object{"name": name, "hostPath": object{"path": path, "type": kind}}
}

func fromConfigMap(name, source string) object {
	return object{"name": name, "configMap": object{"name": source}}
}

func mountAt(name, path string, readOnly bool) object {
	return object{"name": name, "mountPath": path, "readOnly": readOnly}
}

// everywhere tolerates every taint, as what makes a node usable must.
func everywhere() []any {
	return list(object{"operator": "Exists", "effect": "NoSchedule"}, object{"operator": "Exists", "effect": "NoExecute"})
}

func daemonSet(name string, labels object, pod object) object {
	return object{
		"apiVersion": "apps/v1", "kind": "DaemonSet",
		"metadata": object{"name": name, "namespace": system, "labels": labels},
		"spec": object{
			"selector":       object{"matchLabels": object{"k8s-app": name}},
			"updateStrategy": object{"type": "RollingUpdate", "rollingUpdate": object{"maxUnavailable": 1}},
			"template":       object{"metadata": object{"labels": labels}, "spec": pod},
		},
	}
}
