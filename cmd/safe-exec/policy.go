package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"safe-exec/nsjail/image"
	"safe-exec/policy"
)

// showPolicy says what programs may do: as the daemon tells its caller, or
// without one as the configuration says.
func showPolicy(args []string, std stdio) int {
	fs := newFlags("policy", "", "exit status: 0 done, "+wrongUsage+", "+ourFailure)
	name := fs.String("language", "python", "`L`: python or javascript")
	level := fs.String("level", "", "import policy `P` (default: what a request gets that names none)")
	prompt := fs.Bool("prompt", false, "print a paragraph to paste into a model's system prompt")
	asJSON := fs.Bool("json", false, "print what GET /v1/policy gives")
	where := fs.remote()
	path := fs.String("config", "", "configuration `FILE`, when nobody listens on the socket, also on one that was named")
	if status, done := fs.parse(args, 0, std); done {
		return status
	}
	if *prompt && *asJSON {
		std.complain(errors.New("policy: give --prompt or --json, one of the two"))
		return exitUsage
	}
	if fs.Changed("socket") && where.url != "" {
		std.complain(errors.New("policy: --socket and --url do not go together"))
		return exitUsage
	}
	language, err := languageOf(*name, "")
	if err != nil {
		std.complain(err)
		return exitUsage
	}
	rules, err := rulesOf(context.Background(), where, *path, language, *level, std)
	switch {
	case err != nil:
		return explain(std, err)
	case *asJSON:
		return printJSON(std, rules, exitOK)
	case *prompt:
		_, err = io.WriteString(std.out, rules.Prompt())
	default:
		err = printRules(std.out, rules)
	}
	if err != nil {
		std.complain(err)
		return exitOurs
	}
	return exitOK
}

// rulesOf prefers the daemon, whose configuration is the one that counts, and says
// when the rules are those of no daemon.
func rulesOf(ctx context.Context, where *remote, path string, language policy.Language, level string, std stdio) (policy.Rules, error) {
	daemon, err := where.connect(ctx)
	if err == nil {
		defer daemon.Close()
		return daemon.Rules(ctx, string(language), level)
	}
	if !where.replaced(err) {
		return policy.Rules{}, err
	}
	conf, err := loadConfig(path)
	if err != nil {
		return policy.Rules{}, &usageError{err}
	}
	all, err := conf.profiles()
	if err != nil {
		return policy.Rules{}, &usageError{err}
	}
	lists := "the built-in ones"
	if path != "" {
		lists = "those of " + path
	}
	std.complain(fmt.Errorf("no daemon listens on %s: these rules are %s", where.socket, lists))
	rt := policy.Runtime{Profile: all[string(language)]}
	// Without the interpreter the rules are the same, only its version is not known.
	if _, version, err := image.Find(ctx, language, rt.Profile.Interpreter); err == nil {
		rt.Version = version
	}
	ceiling, limits, err := conf.ceilings(ourselves())
	if err != nil {
		return policy.Rules{}, err
	}
	return rt.RulesOf(level, ceiling, limits)
}

func printRules(out io.Writer, r policy.Rules) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, policy %s\n", r.Language, r.Name)
	for _, list := range []struct {
		title string
		names []string
	}{
		{"imports", r.Imports}, {"blocked imports", r.BlockedImports},
		{"blocked names", r.BlockedNames}, {"only with constant names", r.ConstantNames},
	} {
		if len(list.names) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", list.title, strings.Join(list.names, ", "))
		}
	}
	for _, sentence := range r.Sentences {
		fmt.Fprintf(&b, "- %s\n", sentence)
	}
	_, err := io.WriteString(out, b.String())
	return err
}
