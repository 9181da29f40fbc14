package nsjail

import (
	"fmt"
	"strings"

	"safe-exec/policy"
)

// exitUnsettled is the status by which Node, and the harness as Node does, ends a
// program whose top-level await never settles.
const exitUnsettled = 13

// hint is the one sentence that a person or a model can act on.
func hint(e evidence, t policy.Termination) string {
	l := e.spec.Limits
	if e.spec.CheckOnly {
		switch t.Reason {
		case policy.ReasonCompleted:
			listed := ""
			if len(e.imports) < e.imported {
				listed = fmt.Sprintf(" imports lists %d of its %d modules.", len(e.imports), e.imported)
			}
			return fmt.Sprintf("Policy %q refuses nothing in this program. It was only checked: nothing ran.%s", e.spec.LevelName, listed)
		case policy.ReasonWallTimeout, policy.ReasonMemoryLimit:
			return "Parsing and checking alone passed a limit: the program is too large or nested too deeply. Nothing ran."
		default: // what is said of a run
		}
	}
	switch t.Reason {
	case policy.ReasonCompleted:
		return "The program ran to its end."
	case policy.ReasonException:
		return "The program ended with an uncaught exception, as its harness reports; stderr should have the traceback." + denied(e)
	case policy.ReasonExitNonzero:
		if e.spec.Language == policy.JavaScript && e.status.ExitStatus() == exitUnsettled {
			return "An await at the top level never settled and nothing was left to wait for, so what stands after it did not run: that is what exit status 13 means, unless the program itself chose it." + denied(e)
		}
		return fmt.Sprintf("The program itself chose exit status %d.", e.status.ExitStatus()) + denied(e)
	case policy.ReasonSignal:
		if e.unanswered {
			return fmt.Sprintf("Nothing of the program ran: the interpreter was ended by %s before it had read it, which neither a limit nor the sandbox sent.", t.Signal)
		}
		return fmt.Sprintf("The program was ended by %s, which neither a limit nor the sandbox sent: a crash of the interpreter, or the program signalled itself.", t.Signal)
	case policy.ReasonWallTimeout:
		return fmt.Sprintf("The program was still running after %d ms; make it do less.", l.TimeoutMS)
	case policy.ReasonCPUTimeout:
		return "The program used up its CPU time; make it do less."
	case policy.ReasonMemoryLimit:
		if e.usage.OOMKills == 0 {
			return fmt.Sprintf("The JavaScript heap was full at %d MB, which is what the memory limit of %d MB leaves beside the engine; process the data in pieces.", e.heapLimit>>20, l.MaxMemoryMB)
		}
		return fmt.Sprintf("The program needed more than its %d MB of memory; process the data in pieces.", l.MaxMemoryMB)
	case policy.ReasonPidsLimit:
		return fmt.Sprintf("The program wanted more than its %d threads; use a smaller pool.", l.MaxPids)
	case policy.ReasonOutputLimit:
		return fmt.Sprintf("The program wrote more than %d bytes of output; print less.", l.MaxOutputBytes)
	case policy.ReasonDiskLimit:
		return fmt.Sprintf("The working directory was full (%d bytes, %d files); write less or delete files earlier.", l.MaxDiskBytes, l.MaxFiles)
	case policy.ReasonSyscallDenied:
		if e.denialFlood {
			return fmt.Sprintf("The program made more than %d system calls that the sandbox refuses; denials names them.", l.MaxDenials)
		}
		return "The program made a system call of a kind that no interpreter makes; the kernel ended it."
	case policy.ReasonImportDenied:
		return fmt.Sprintf("The program imported a module that policy %q does not allow; stderr names it.%s", e.spec.LevelName, allowedImports(e))
	case policy.ReasonPolicyViolation:
		if len(e.violations) == 0 {
			return fmt.Sprintf("The program did at run time what policy %q does not allow; stderr has the details.", e.spec.LevelName)
		}
		return fmt.Sprintf("Nothing ran: policy %q refuses what violations lists.%s", e.spec.LevelName, allowedImports(e))
	case policy.ReasonSyntaxError:
		return fmt.Sprintf("Nothing ran: line %d, column %d: %s.", t.Line, t.Column, t.Message)
	case policy.ReasonCancelled:
		return "The caller cancelled the run."
	case policy.ReasonRestarted, policy.ReasonExpired, policy.ReasonSetupError: // no jail gives these
	}
	return ""
}

// allowedImports lists what may be imported, once for all violations of that
// kind: the list is what a model needs to write the next try.
func allowedImports(e evidence) string {
	imports := strings.Join(e.spec.Level.Imports, ", ")
	for _, v := range e.violations {
		if v.Rule == "import_not_allowed" || v.Rule == "import_blocked" {
			return " Allowed imports: " + imports + "."
		}
	}
	if len(e.violations) == 0 {
		return " Allowed imports: " + imports + "."
	}
	return ""
}

func denied(e evidence) string {
	if e.denials == 0 {
		return ""
	}
	return " The sandbox refused system calls on the way; denials names them."
}
