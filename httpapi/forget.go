package httpapi

// forget makes room in a map of at most so many entries: of a handful of those
// that may go, the one that ranks lowest goes. Looking at a handful costs the same
// however many there are, and a map's order is a different one each time. Where
// none may go, the map grows; what must not go is bounded elsewhere.
func forget[V any](m map[string]V, most int, rank func(V) (float64, bool)) {
	const handful = 16
	if len(m) < most {
		return
	}
	var worst string
	var lowest float64
	seen := 0
	for name, v := range m {
		r, may := rank(v)
		if !may {
			continue
		}
		if seen == 0 || r < lowest {
			worst, lowest = name, r
		}
		if seen++; seen == handful {
			break
		}
	}
	if seen > 0 {
		delete(m, worst)
	}
}
