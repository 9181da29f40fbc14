package policy

// Bounds of an Input and of what a request wants brought back.
const (
	MaxInputBytes = 2 << 20 // stdin, args, env and files together, in bytes
	MaxInputFiles = 64
	MaxPathBytes  = 200
	MaxArgs       = 64
	MaxEnv        = 64
	MaxGlobs      = 16
)
