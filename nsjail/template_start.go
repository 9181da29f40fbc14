package nsjail

import (
	"context"
	"errors"
)

func (r *Runner) startTemplate(ctx context.Context, o order) (*template, error) {
	return nil, errors.ErrUnsupported
}

func (j *jail) holdTemplate() error { return nil }
func (j *jail) fork() error         { return errors.ErrUnsupported }
