package policy

// Whole gives the result with empty lists for missing ones: JSON knows a difference
// between [] and null that Go does not.
func (r *Result) Whole() *Result {
	out := *r
	OrEmpty(&out.Denials)
	OrEmpty(&out.Violations)
	OrEmpty(&out.Files)
	OrEmpty(&out.FilesSkipped)
	OrEmpty(&out.Layers)
	OrEmpty(&out.PolicyDeny)
	OrEmpty(&out.Termination.Evidence)
	if out.ResultJSON == nil {
		out.ResultJSON = []byte("null")
	}
	return &out
}

// OrEmpty makes a missing list an empty one.
func OrEmpty[T any](list *[]T) {
	if *list == nil {
		*list = []T{}
	}
}
