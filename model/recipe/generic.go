package recipe

import "strings"

// Keys of which nothing is known but that they have a lease, and single keys.
var (
	leased = &Form{Shape: Group}
	alone  = &Form{Shape: Single}
)

var generics = []*Recipe{ByPin, OrderOnly}

// ByPin is a single key that somebody said is a lock.
var ByPin = &Recipe{Name: "single", Users: "one key, pinned by hand", Shape: Single, Order: NoOrder, HasHolder: true, Rhythm: RenewsByHand, Confidence: Certain}

// OrderOnly is what remains: leased keys side by side.
var OrderOnly = &Recipe{Name: "order-only", Users: "leased keys of no known recipe: a registry, a cache, or a lock of an unknown kind",
	Shape: Group, Order: ByCreate, Confidence: Hint,
	Signs: []Sign{
		{Forms: []*Form{decForm}, Why: []string{namedInDecimal, "nothing says whether they exclude each other"}},
		{Why: []string{"the keys have leases and fit no recipe"}},
	},
	Ignore: ofKubernetes}

// ofKubernetes says whether a key is Kubernetes' own.
func ofKubernetes(k *Key) bool { return OfKubernetes(k.Value) }

// OfKubernetes says whether a value is one that Kubernetes wrote: by the magic with which
// most begin, or as JSON that names its kind and its version.
func OfKubernetes(v string) bool {
	return strings.HasPrefix(v, k8sMagic) || strings.HasPrefix(v, k8sSealed) ||
		(strings.HasPrefix(v, `{"kind":"`) || strings.HasPrefix(v, `{"apiVersion":"`)) && strings.Contains(v, `"apiVersion":"`) && strings.Contains(v, `"kind":"`)
}

const (
	k8sMagic  = "k8s\x00"
	k8sSealed = "k8s:enc:" // encrypted at rest
)

// single fills in what single keys have in common.
func single(name, who string, rhythm Rhythm, c Confidence, r Recipe) *Recipe {
	r.Name, r.Users, r.Rhythm, r.Confidence = name, who, rhythm, c
	r.Shape, r.Order, r.HasHolder = Single, NoOrder, true
	return &r
}
