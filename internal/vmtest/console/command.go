package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
)

// CommandsPath is where the machine's init finds its list of commands.
const CommandsPath = "/vmtest/commands"

// Command is one process that the machine runs.
type Command struct {
	Name      string   `json:"name"`       // letters, digits and . _ / -; unique in a list
	Argv      []string `json:"argv"`       // path inside the machine, and arguments
	Dir       string   `json:"dir"`        // working directory
	Env       []string `json:"env"`        // added to the init's own few variables
	TimeoutMS int64    `json:"timeout_ms"` // wall time until the init kills it, milliseconds, above zero
}

var nameOK = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,63}$`)

// MarshalCommands writes a list of commands, one JSON object a line.
func MarshalCommands(list []Command) ([]byte, error) {
	if err := checkCommands(list); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, c := range list {
		if err := enc.Encode(c); err != nil {
			return nil, fmt.Errorf("encode command %s: %w", c.Name, err)
		}
	}
	return b.Bytes(), nil
}

// ParseCommands reads what MarshalCommands wrote. An empty list is an error:
// a machine that runs nothing proves nothing.
func ParseCommands(data []byte) ([]Command, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var list []Command
	for {
		var c Command
		err := dec.Decode(&c)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("command %d: %w", len(list)+1, err)
		}
		list = append(list, c)
	}
	return list, checkCommands(list)
}

func checkCommands(list []Command) error {
	if len(list) == 0 {
		return errors.New("no commands")
	}
	seen := make(map[string]bool)
	for i, c := range list {
		switch {
		case !nameOK.MatchString(c.Name):
			return fmt.Errorf("command %d: bad name %q", i+1, c.Name)
		case seen[c.Name]:
			return fmt.Errorf("command %s: named twice", c.Name)
		case len(c.Argv) == 0 || c.Argv[0] == "":
			return fmt.Errorf("command %s: no program", c.Name)
		case c.TimeoutMS <= 0:
			return fmt.Errorf("command %s: no time-out", c.Name)
		}
		seen[c.Name] = true
	}
	return nil
}
