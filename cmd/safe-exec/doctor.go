package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"

	"safe-exec/cgroup"
	"safe-exec/nsjail/host"
	"safe-exec/nsjail/image"
	"safe-exec/policy"
)

// doctor says for every layer whether this host has it; exit status 0 means
// that serve would start.
func doctor(args []string, std stdio) int {
	fs := flag.NewFlagSet("doctor", flag.ContinueOnError)
	fs.SetOutput(std.err)
	asJSON := fs.Bool("json", false, "print the findings as JSON")
	path := fs.String("config", "", "configuration file")
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitOK
	} else if err != nil || fs.NArg() > 0 {
		return exitUsage
	}
	conf, err := loadConfig(*path)
	if err != nil {
		std.complain(err)
		return exitUsage
	}
	all, err := conf.profiles()
	if err != nil {
		std.complain(err)
		return exitUsage
	}
	findings := host.Check(cgroup.Options{EnableControllers: conf.EnableControllers})
	for _, language := range policy.Languages() {
		findings = append(findings, findInterpreter(all[string(language)]))
	}
	good := true
	for _, f := range findings {
		good = good && f.OK
	}
	if *asJSON {
		e := json.NewEncoder(std.out)
		e.SetIndent("", "  ")
		if err := e.Encode(map[string]any{"would_serve": good, "findings": findings}); err != nil {
			return exitOurs
		}
	} else {
		printFindings(std, findings, good)
	}
	if !good {
		return exitFailed
	}
	return exitOK
}

func findInterpreter(p policy.Profile) host.Finding {
	f := host.Finding{Layer: "interpreter: " + p.Name, UsedFor: "copied into the image that programs of this language see"}
	path, version, err := image.Find(context.Background(), p.Language, p.Interpreter)
	if err != nil {
		f.Detail, f.Remedy = err.Error(), "install it, or name it in the configuration: profiles."+p.Name+".interpreter"
		return f
	}
	f.OK, f.Detail = true, path+", "+version
	return f
}

func printFindings(std stdio, findings []host.Finding, good bool) {
	for _, f := range findings {
		mark := "ok     "
		if !f.OK {
			mark = "MISSING"
		}
		fmt.Fprintf(std.out, "%s  %-24s %s\n", mark, f.Layer, f.Detail)
		fmt.Fprintf(std.out, "         %-24s for: %s\n", "", f.UsedFor)
		if !f.OK {
			fmt.Fprintf(std.out, "         %-24s do:  %s\n", "", f.Remedy)
		}
	}
	if good {
		fmt.Fprintln(std.out, "every layer is there: safe-exec serve would start")
	} else {
		fmt.Fprintln(std.out, "safe-exec serve would refuse to start")
	}
}
