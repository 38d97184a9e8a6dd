// Reads what is in scripts/containers as Docker does, by the libraries that it is made of, and prints that as JSON.
//
//	judge compose FILE     interpolated, merged, judged by the schema and by its rules of consistency; variables come from the environment
//	judge dockerfile FILE  its stages, with the instructions of each, and what the linter says
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

type stage struct {
	Name, From string
	Commands   []string
}

type dockerfile struct {
	Stages   []stage
	Warnings []string
}

func compose(file string) (any, error) {
	options, err := cli.NewProjectOptions([]string{file}, cli.WithOsEnv)
	if err != nil {
		return nil, err
	}
	return options.LoadProject(context.Background())
}

func stages(file string) (any, error) {
	opened, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	parsed, err := parser.Parse(opened)
	if err != nil {
		return nil, err
	}
	out := dockerfile{Warnings: []string{}}
	for _, each := range parsed.Warnings {
		out.Warnings = append(out.Warnings, each.Short)
	}
	warn := func(rule, _, _, message string, _ []parser.Range) {
		out.Warnings = append(out.Warnings, rule+": "+message)
	}
	found, _, err := instructions.Parse(parsed.AST, linter.New(&linter.Config{Warn: warn}))
	if err != nil {
		return nil, err
	}
	for _, each := range found {
		read := stage{Name: each.Name, From: each.BaseName}
		for _, command := range each.Commands {
			text := command.Name()
			if stringer, ok := command.(fmt.Stringer); ok {
				text = stringer.String()
			}
			read.Commands = append(read.Commands, text)
		}
		out.Stages = append(out.Stages, read)
	}
	return out, nil
}

func main() {
	readers := map[string]func(string) (any, error){"compose": compose, "dockerfile": stages}
	if len(os.Args) != 3 || readers[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: judge compose|dockerfile FILE")
		os.Exit(2)
	}
	read, err := readers[os.Args[1]](os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	if err := out.Encode(read); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}
