package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Rules say what a program may do under one level of one profile: in lists for
// a machine, in sentences for a person or a model.
type Rules struct {
	Profile  string   `json:"profile"`
	Language Language `json:"language"`
	Name     string   `json:"name"`
	Default  bool     `json:"default"` // what this caller gets who names none
	Level
	InterpreterVersion string      `json:"interpreter_version"`
	Limits             LimitRanges `json:"limits"`
	Sentences          []string    `json:"rules"`
}

// Rules describes every level that a caller with these ceilings may ask for, the
// narrower ones first, with the limits that he may.
func (rt Runtime) Rules(ceiling string, limits LimitsRequest) []Rules {
	p := rt.Profile
	list := []Rules{}
	offer := p.OfferTo(ceiling, limits)
	for _, name := range offer.Levels {
		r := Rules{
			Profile: p.Name, Language: p.Language, Name: name, Default: name == offer.Default, Level: p.Levels[name],
			InterpreterVersion: rt.Version, Limits: offer.Limits,
		}
		for _, names := range []*[]string{&r.Imports, &r.BlockedImports, &r.BlockedNames, &r.ConstantNames} {
			if *names == nil {
				*names = []string{}
			}
		}
		r.Sentences = r.sentences()
		list = append(list, r)
	}
	return list
}

// RulesOf describes one level; an empty name is the one that this caller gets
// who names none. Errors are those of Resolve.
func (rt Runtime) RulesOf(level, ceiling string, limits LimitsRequest) (Rules, error) {
	name, _, _, err := resolveLevel(Request{Level: level, Ceiling: ceiling}, rt.Profile)
	if err != nil {
		return Rules{}, err
	}
	all := rt.Rules(ceiling, limits)
	return all[slices.IndexFunc(all, func(r Rules) bool { return r.Name == name })], nil
}

// Prompt is one paragraph for the system prompt of a model that writes
// programs: the same sentences, addressed to it.
func (r Rules) Prompt() string {
	// What a model knows of a language goes by these parts of the version.
	product, parts := "Python", 2
	if r.Language == JavaScript {
		product, parts = "JavaScript for Node", 1
	}
	version := strings.Split(strings.TrimPrefix(r.InterpreterVersion, "v"), ".")
	version = version[:min(parts, len(version))]
	return fmt.Sprintf("You write %s programs that run in a sandbox. %s\n",
		strings.TrimSpace(product+" "+strings.Join(version, ".")), strings.Join(r.Sentences, " "))
}

func (r Rules) sentences() []string {
	data := "put the data it works on into the program itself"
	if r.opens() || r.helps() {
		data = "the data it works on stands in the program itself, or comes with the request as files, stdin, args and env"
	}
	list := []string{"A program is one file and starts from nothing each time: " + data + "."}
	if r.Language == JavaScript {
		list = append(list, "CommonJS and ES module syntax both work, and so does await at the top level.")
	}
	list = append(list, r.importSentence())
	if len(r.BlockedNames) > 0 {
		list = append(list, fmt.Sprintf("Do not use %s.", Join(r.BlockedNames)))
	}
	if len(r.ConstantNames) > 0 {
		list = append(list, fmt.Sprintf("%s may only be called, and only with an attribute name that is written out as a string and does not begin with an underscore.", Join(r.ConstantNames)))
	}
	if !r.Unrestricted {
		list = append(list, map[Language]string{
			Python:     "Attributes that lead into the interpreter, such as __globals__, __subclasses__, f_back or gi_frame, are refused, also in format strings.",
			JavaScript: "Code made from strings is refused, also by way of a function's constructor; require and import() reach the listed modules and nothing else.",
		}[r.Language])
	}
	list = append(list,
		r.filesSentence(),
		map[Language]string{
			Python:     "Print what you want to give back; for data, let the last line be one JSON value: print(json.dumps(value)).",
			JavaScript: "Print what you want to give back; for data, let the last line be one JSON value: console.log(JSON.stringify(value)).",
		}[r.Language],
		fmt.Sprintf("A program has %s of time (%s at most, if asked for), %d MB of memory (%d at most), and the first and last part of its output, %d bytes together, are kept.",
			seconds(r.Limits.TimeoutMS.Default), seconds(r.Limits.TimeoutMS.Max),
			r.Limits.MaxMemoryMB.Default, r.Limits.MaxMemoryMB.Max, r.Limits.MaxStdoutBytes.Default),
	)
	if !r.Unrestricted {
		list = append(list, "Whatever breaks a rule is refused and comes back with its line and column: correct it and send the whole program again.")
	}
	return list
}

func (r Rules) importSentence() string {
	switch {
	case !r.Unrestricted && len(r.Imports) == 0:
		return "Nothing can be imported."
	case !r.Unrestricted:
		return fmt.Sprintf("Only these modules can be imported: %s.", strings.Join(r.Imports, ", "))
	case r.Language == JavaScript:
		return "Modules of Node can be imported, packages cannot."
	}
	return "The standard library can be imported, less ctypes, tkinter and the like; packages cannot."
}

// opens says whether a program can open files by the language's own means.
func (r Rules) opens() bool {
	switch {
	case r.Unrestricted:
		return true
	case r.Language == Python:
		return !slices.Contains(r.BlockedNames, "open")
	}
	return slices.Contains(r.allowed(), "fs")
}

// helps says whether it has the module that reads and writes files for it.
func (r Rules) helps() bool { return r.Unrestricted || slices.Contains(r.allowed(), "workdir") }

// filesSentence says how a program gets at files, and that there is no network.
func (r Rules) filesSentence() string {
	switch {
	case r.opens():
		return "There is no network and no other program to start; files can be read and written in the working directory, and those that it leaves there come back."
	case r.helps():
		return "There is no network and no other program to start; files of the working directory are read and written with the module workdir, and those that it leaves there come back: " + workdirCalls[r.Language]
	}
	return "There are no files, no network, no environment and no other program to start: keep data in variables, and print results."
}

// workdirCalls are what a program needs to know of the helper.
var workdirCalls = map[Language]string{
	Python:     "workdir.read_text(path), read_bytes(path), write_text(path, text), write_bytes(path, data), list_files() and remove(path); workdir.stdin(), workdir.args and workdir.env are the rest of what it was given.",
	JavaScript: "require(\"workdir\") has readText(path), readBytes(path), writeText(path, text), writeBytes(path, data), listFiles() and remove(path), and stdin(), args and env for the rest of what it was given.",
}

func seconds(ms int64) string {
	if ms%1000 == 0 {
		return fmt.Sprintf("%d s", ms/1000)
	}
	return fmt.Sprintf("%d ms", ms)
}

// Join lists names as a sentence does: a, b and c.
func Join(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
