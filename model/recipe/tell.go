package recipe

// Pinned is the recipe as somebody said it. If keys are there that its programs write, they are the
// claims, and all others are foreign.
func (r *Recipe) Pinned(t *Tally) Recognition {
	for i := range r.Signs {
		if own := setOf(r.Signs[i].Forms...); r.Shape == Queue && !r.AnyName && t != nil && t.Own(own) > 0 {
			return Recognition{r, pinned, own}
		}
	}
	return Recognition{r, pinned, AnyForm}
}

var pinned = &Sign{Confidence: Certain, Why: []string{"pinned with --recipe"}}

// Tell names the recipe of a lock from what its claims look like. It is a function
// of the keys as they stand.
func Tell(shape Shape, l Look) Recognition {
	switch shape {
	case Single:
		if l.First != nil {
			if t := tellKey(l.First, l.OnLease); t.Sign != nil {
				return t
			}
		}
		return ByPin.Pinned(nil)
	case Queue:
		kind := l.Tally.Kind()
		for _, r := range All() {
			for i := range r.Signs {
				s := &r.Signs[i]
				if s.Forms == nil || !s.serves(l.Unread) || setOf(s.Forms...) != kind {
					continue
				}
				if s.Lock == nil || s.Lock(l) {
					return Recognition{r, s, kind}
				}
			}
		}
		return Recognition{Mixed, generic(Mixed), kind}
	}
	return Recognition{OrderOnly, generic(OrderOnly), AnyForm}
}

// generic is the sign of an answer that is left when no other fits, the recipe's last one.
func generic(r *Recipe) *Sign { return &r.Signs[len(r.Signs)-1] }

// TellKey names the recipe of a leased key that is a lock by itself; Sign is nil if
// nothing says that it is one.
func TellKey(k *Key) Recognition { return tellKey(k, nil) }

func tellKey(k *Key, onLease func(key string) bool) Recognition {
	for _, r := range singles {
		for i := range r.Signs {
			s := &r.Signs[i]
			if s.serves(k.Unread) && s.Key(k) && (!s.Registered || onLease != nil && onLease(Registry(k))) {
				return Recognition{r, s, AnyForm}
			}
		}
	}
	return Recognition{}
}
