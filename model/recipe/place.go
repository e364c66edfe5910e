package recipe

import "strings"

// Place is the place of a key that is said to be of the recipe.
func (r *Recipe) Place(k *Key) (lock string, f FormID) {
	switch {
	case r.Shape == Single:
		return k.Name, alone.id
	case !k.Below(), (r.Shape == Group || r.Permits > 0) && k.Lease == 0:
		return "", 0
	case r.Shape == Group:
		return k.Dir(), leased.id
	}
	if lock, f = queuePlace(k); f != 0 {
		return lock, f
	}
	return k.Dir(), member.id
}

// Place returns the lock that a key competes for, and by which form; the zero form
// says that it competes for none.
func Place(k *Key) (lock string, f FormID) {
	if isKubeLease(k) {
		return k.Name, alone.id
	}
	for _, ignores := range ignored {
		if ignores(k) {
			return "", 0
		}
	}
	if lock, f = queuePlace(k); f != 0 || k.Lease == 0 {
		return lock, f
	}
	if TellKey(k).Sign != nil {
		return k.Name, alone.id
	}
	if !k.Below() || k.Unread && strings.HasPrefix(k.Name, "/registry/") { // of Kubernetes, as far as one can tell without the value
		return "", 0
	}
	return k.Dir(), leased.id
}

// queuePlace finds the forms in which a claim is a key below the lock's name.
func queuePlace(k *Key) (lock string, f FormID) {
	if !k.Below() {
		return "", 0
	}
	for _, form := range queueForms {
		switch {
		case form.Named != nil:
			if name := form.Named(k); name != "" {
				return name, form.id
			}
			continue
		case form.Segment == "":
			if form.Fits(k) {
				return k.Dir(), form.id
			}
			continue
		}
		if name, ok := strings.CutSuffix(k.Dir(), form.Segment); ok && strings.HasSuffix(name, "/") && form.Fits(k) {
			return name[:len(name)-1], form.id
		}
	}
	return "", 0
}

// IsUnder says whether a segment of that name stands between a lock and its claims in
// some recipe.
func IsUnder(segment string) bool {
	for _, f := range queueForms {
		if f.Segment == segment && segment != "" {
			return true
		}
	}
	return false
}

// IsBeside says whether a key is named as one that stands beside a lock and says who
// holds it.
func IsBeside(key string) bool {
	for _, end := range besides {
		if strings.HasSuffix(key, end) {
			return true
		}
	}
	return false
}
