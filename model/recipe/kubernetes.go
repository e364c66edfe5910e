package recipe

import (
	"encoding/json"
	"strings"
	"time"
)

// KubeLease is what a Lease object of Kubernetes says, the lock of its leader elections. It
// has no lease of etcd: whoever holds writes anew when, and others take it a duration later.
type KubeLease struct {
	Holder string
	// For is for how long it holds from Renewed on, by the clock of the holder.
	For               time.Duration
	Acquired, Renewed time.Time
	Transitions       int64
	// Strategy and Preferred are of coordinated elections.
	Strategy, Preferred string
}

var kubernetesLease = single("kubernetes-lease", "leader elections of Kubernetes: Lease objects", RenewsByHand, Strong, Recipe{
	Signs: []Sign{
		{Key: func(k *Key) bool { _, ok := ReadKubeLease(k.Value); return ok && isKubeLease(k) }, Confidence: Certain,
			Why: []string{"the value is a Lease of coordination.k8s.io", "the name is leases/<namespace>/<name>"}},
		{Key: isKubeLease, Confidence: Hint, Why: []string{"the name is leases/<namespace>/<name>", "the value is encrypted by Kubernetes"}},
	},
	Held: func(v string) bool { l, ok := ReadKubeLease(v); return ok && l.Holder != "" },
	Owner: func(v string) (who, source string) {
		l, _ := ReadKubeLease(v)
		return clip(l.Holder), "value"
	}})

// OfKube says whether the recipe is that of Kubernetes' Lease objects.
func (r *Recipe) OfKube() bool { return r == kubernetesLease }

// isKubeLease says whether a key is a Lease of Kubernetes that is a lock, by its name and by
// what all values of Kubernetes begin with.
func isKubeLease(k *Key) bool {
	if k.Lease != 0 || !strings.HasPrefix(k.Value, k8sMagic) && !strings.HasPrefix(k.Value, k8sSealed) && !strings.HasPrefix(k.Value, "{") {
		return false
	}
	tree, namespace := cutLast(k.Dir())
	if _, kind := cutLast(tree); kind != "leases" || namespace == "kube-node-lease" || namespace == "" || k.Last() == "" {
		return false
	}
	if strings.HasPrefix(k.Value, k8sSealed) {
		return true
	}
	_, ok := ReadKubeLease(k.Value)
	return ok
}

func cutLast(path string) (dir, last string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(0, i)], path[i+1:]
}

// ReadKubeLease reads a Lease as the API server stores it, as Protocol Buffers or as JSON
// (k8s.io/api/coordination/v1/generated.proto, k8s.io/apimachinery runtime.Unknown).
func ReadKubeLease(v string) (l KubeLease, ok bool) {
	if body, is := strings.CutPrefix(v, k8sMagic); is {
		return readKubeProto(body)
	}
	if !strings.HasPrefix(v, "{") || len(v) > 1<<16 {
		return l, false
	}
	var object struct {
		Kind, APIVersion string
		Spec             struct {
			HolderIdentity, Strategy, PreferredHolder string
			LeaseDurationSeconds, LeaseTransitions    int64
			AcquireTime, RenewTime                    time.Time
		}
	}
	if json.Unmarshal([]byte(v), &object) != nil || object.Kind != "Lease" || !strings.HasPrefix(object.APIVersion, "coordination.k8s.io/") {
		return l, false
	}
	s := object.Spec
	return KubeLease{s.HolderIdentity, time.Duration(s.LeaseDurationSeconds) * time.Second, s.AcquireTime, s.RenewTime,
		s.LeaseTransitions, s.Strategy, s.PreferredHolder}, true
}

func readKubeProto(body string) (l KubeLease, ok bool) {
	unknown, ok := protoFields(body)
	if !ok {
		return l, false
	}
	version, kind, raw := "", "", ""
	for _, f := range unknown {
		switch f.num {
		case 1:
			meta, _ := protoFields(f.bytes)
			for _, m := range meta {
				switch m.num {
				case 1:
					version = m.bytes
				case 2:
					kind = m.bytes
				}
			}
		case 2:
			raw = f.bytes
		}
	}
	if kind != "Lease" || !strings.HasPrefix(version, "coordination.k8s.io/") {
		return l, false
	}
	object, ok := protoFields(raw)
	for _, f := range object {
		if f.num != 2 {
			continue
		}
		spec, _ := protoFields(f.bytes)
		for _, s := range spec {
			switch s.num {
			case 1:
				l.Holder = s.bytes
			case 2:
				l.For = time.Duration(int32(s.number)) * time.Second
			case 3:
				l.Acquired = microTime(s.bytes)
			case 4:
				l.Renewed = microTime(s.bytes)
			case 5:
				l.Transitions = int64(int32(s.number))
			case 6:
				l.Strategy = s.bytes
			case 7:
				l.Preferred = s.bytes
			}
		}
	}
	return l, ok
}

// microTime reads seconds and nanoseconds, the zero time where there are none.
func microTime(v string) time.Time {
	fields, _ := protoFields(v)
	var sec, nsec int64
	for _, f := range fields {
		switch f.num {
		case 1:
			sec = int64(f.number)
		case 2:
			nsec = int64(int32(f.number))
		}
	}
	if sec == 0 {
		return time.Time{}
	}
	return time.Unix(sec, nsec).UTC()
}
