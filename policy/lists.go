package policy

// Whole gives the result with empty lists for missing ones: JSON knows a difference
// between [] and null that Go does not.
func (r *Result) Whole() *Result {
	out := *r
	orEmpty(&out.Denials)
	orEmpty(&out.Violations)
	orEmpty(&out.Files)
	orEmpty(&out.FilesSkipped)
	orEmpty(&out.Layers)
	orEmpty(&out.PolicyDeny)
	orEmpty(&out.Termination.Evidence)
	if out.ResultJSON == nil {
		out.ResultJSON = []byte("null")
	}
	return &out
}

func orEmpty[T any](list *[]T) {
	if *list == nil {
		*list = []T{}
	}
}
