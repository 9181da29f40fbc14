package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The build information has a tag or a pseudo-version where the build saw a repository.
func TestVersionIsThatOfTheBuildInformation(t *testing.T) {
	got := invoke(t, "version")
	assert.Zero(t, got.code)
	assert.Regexp(t, `^safe-exec (devel|v\d+\.\d+\.\d+\S*)(, commit [0-9a-f]{12}( with changes)?)?, go1\.\S+ linux/amd64\n$`, got.stdout)
}
