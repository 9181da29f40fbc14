// Command hostile is a broker in an attacker's hands: it joins as one must, and
// then does what its configuration says. With "bare" in place of a directory it
// does the same unconfined, which is the control.
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"safe-exec/internal/broker"
	"safe-exec/policy"
)

// targets are what the attacks are on: planted by the test, and nothing else.
type targets struct {
	Do       string // the name of an attack, "attacks" for all, or a behaviour below
	Secret   string // a file of root's alone
	Outside  string // a file in a directory that everybody may write to
	Own      string // a file in a directory of the broker's user that is not the broker's
	Socket   string // a socket of root's alone
	Port     int    // of TCP on 127.0.0.1
	Victim   int    // a process of root's
	Executor int    // the process that started this one
	Program  string // what there is to execute
}

func main() {
	if os.Args[1] == "bare" {
		var t targets
		must(json.Unmarshal([]byte(os.Args[2]), &t))
		report(t)
		return
	}
	n, err := strconv.Atoi(os.Args[2])
	must(err)
	j, err := broker.Join(os.Args[1], n)
	must(err)
	var t targets
	must(json.Unmarshal(j.Config, &t))
	switch t.Do {
	case "attacks":
		report(t)
		serve(j)
	case "serve":
		serve(j)
	case "ask and die":
		go func() { _ = j.Client.Run() }()
		go func() { _, _ = j.Client.Execute(context.Background(), policy.Request{}) }()
		must(j.Client.Ready())
		time.Sleep(time.Hour)
	case "die":
		must(j.Client.Ready())
		os.Exit(3)
	case "die before ready":
		os.Exit(3)
	case "die before ready from the second time on":
		f, err := os.OpenFile(j.Dir+"/served", os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			f.Close()
			must(j.Client.Ready())
		}
		os.Exit(3)
	case "ignore the end": // of the link, which it closes
		must(j.Client.Ready())
		must(j.Client.Close())
		time.Sleep(time.Hour)
	case "ignore the drain":
		must(j.Client.Ready())
		_ = j.Client.Run()
	case "nonsense":
		must(j.Client.Ready())
		_, err := unix.Write(linkFD(), binary.LittleEndian.AppendUint32([]byte{'x'}, 1<<31))
		must(err)
		time.Sleep(time.Hour)
	}
}

func serve(j *broker.Joined) {
	go func() { <-j.Client.Draining(); os.Exit(0) }()
	must(j.Client.Ready())
	must(j.Client.Run())
}

// linkFD finds the link among the descriptors: the one socket that is connected.
func linkFD() int {
	for fd := 3; fd < 64; fd++ {
		if _, err := unix.Getpeername(fd); err == nil {
			return fd
		}
	}
	panic("no link")
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(1)
	}
}
