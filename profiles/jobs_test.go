package profiles_test

import (
	"safe-exec/nsjail/wire"
	"safe-exec/policy"
)

// harnessOf is how a harness is started for a level.
func harnessOf(language policy.Language, l policy.Level) interpreter {
	switch {
	case language == policy.Python:
		return python
	case l.Unrestricted:
		return javascript
	}
	return javascriptLocked
}

// jobOf is the job of a program under a level.
func jobOf(l policy.Level, code string) wire.Job {
	return wire.Job{
		Unrestricted: l.Unrestricted, Imports: l.Imports, BlockedImports: l.BlockedImports,
		BlockedNames: l.BlockedNames, ConstantNames: l.ConstantNames, Code: code,
	}
}
