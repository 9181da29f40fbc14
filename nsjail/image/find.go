package image

import (
	"context"

	"safe-exec/policy"
)

// Find says which interpreter Build would take and which version it is,
// without building anything.
func Find(ctx context.Context, l policy.Language, interpreter string) (path, version string, err error) {
	h, err := findRuntime(ctx, Config{Language: l, Interpreter: interpreter})
	if err != nil {
		return "", "", err
	}
	return h.path, h.version, nil
}
