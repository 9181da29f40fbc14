package main

import (
	"bufio"
	"errors"
	"io"

	"safe-exec/internal/vmtest/console"
)

// longestLine bounds one line on the console, in bytes; the rest of a longer
// one goes on in the next.
const longestLine = 16 << 10

// prefixLines copies r to w with the prefix before each line. Each line is one
// write, so lines of the init do not cut through it.
func prefixLines(w io.Writer, r io.Reader) error {
	in := bufio.NewReaderSize(r, longestLine)
	for {
		line, err := in.ReadSlice('\n')
		if len(line) > 0 {
			out := append([]byte(console.OutputPrefix), line...)
			if out[len(out)-1] != '\n' {
				out = append(out, '\n')
			}
			if _, err := w.Write(out); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}
