package collect

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"safe-exec/nsjail/wire"
	"safe-exec/policy"
)

// take decides on one entry.
func (c *collector) take(e wire.Collect) error {
	path := string(e.Rest)
	unseen := e.Why == wire.WhyClosed || e.Why == wire.WhyTooDeep // who knows what is in there
	if !c.asked.Match(path) && !unseen {
		return nil
	}
	input, given := c.input(path)
	size := int64(min(e.Size, policy.MaxOutputFileBytes+1))
	switch {
	case e.Kind == wire.CollectSkipped:
		c.skip(path, whys[e.Why])
	case !presentable(path):
		c.skip(path, "its name is no text of one line in UTF-8")
	case len(path) > policy.MaxOutputPathBytes:
		c.skip(path, fmt.Sprintf("its path is longer than %d bytes", policy.MaxOutputPathBytes))
	case given && size == int64(len(input)): // a file may have to be read to be left out
		return c.read(path, size, int64(len(input)), &input)
	case len(c.files) == policy.MaxOutputFiles:
		c.skip(path, fmt.Sprintf("there are more than %d files", policy.MaxOutputFiles))
	case size > policy.MaxOutputFileBytes:
		c.skip(path, tooLarge)
	case size > policy.MaxOutputBytes-c.bytes:
		c.skip(path, tooMuch)
	default:
		return c.read(path, size, min(policy.MaxOutputFileBytes, policy.MaxOutputBytes-c.bytes), nil)
	}
	return nil
}

var (
	tooLarge = fmt.Sprintf("it is larger than %d bytes", policy.MaxOutputFileBytes)
	tooMuch  = fmt.Sprintf("the files are larger than %d bytes together", policy.MaxOutputBytes)
)

// whys are the init's reasons in words.
var whys = map[wire.Why]string{
	wire.WhySymlink:    "it is a symbolic link or behind one, and none is followed",
	wire.WhyHardLink:   "it has more than one name (hard links)",
	wire.WhySpecial:    "it is no regular file",
	wire.WhyUnreadable: "others may not read it: chmod it to 0644 before the program ends",
	wire.WhyClosed:     "others may not look into this directory: chmod it to 0755 before the program ends",
	wire.WhyTooDeep:    fmt.Sprintf("it is not looked into: files come back from %d directories deep at most", wire.MaxCollectDepth-1),
	wire.WhyFailed:     "it could not be opened",
	wire.WhyAbsent:     "it is gone",
}

// input is what the caller sent by that name.
func (c *collector) input(path string) ([]byte, bool) {
	for _, f := range c.spec.Input.Files {
		if f.Path == path {
			return f.Content, true
		}
	}
	return nil, false
}

// read brings one file back, of at most so many bytes, unless it is as it was. The
// size is what it should have.
func (c *collector) read(path string, size, most int64, was *[]byte) error {
	if err := c.ask(wire.Collect{Kind: wire.CollectRead, Size: uint64(most + 1), Rest: []byte(path)}); err != nil {
		return err
	}
	content := make([]byte, 0, size)
	for {
		part, err := c.answer()
		if err != nil {
			return err
		}
		if part.Kind == wire.CollectEnd {
			c.keep(path, content, part.Why, most, was)
			return nil
		}
		if part.Kind != wire.CollectData || int64(len(content)+len(part.Rest)) > most+1 {
			return wire.ErrMalformed
		}
		content = append(content, part.Rest...)
	}
}

func (c *collector) keep(path string, content []byte, why wire.Why, most int64, was *[]byte) {
	size, sum := int64(len(content)), sha256.Sum256(content)
	switch {
	case why != wire.WhyNot:
		c.skip(path, whys[why])
		return
	case was != nil && sum == sha256.Sum256(*was):
		return
	case size > most, size > policy.MaxOutputFileBytes, size > policy.MaxOutputBytes-c.bytes: // whatever its size was said to be
		c.skip(path, tooMuch)
		return
	case len(c.files) == policy.MaxOutputFiles:
		c.skip(path, fmt.Sprintf("there are more than %d files", policy.MaxOutputFiles))
		return
	}
	c.bytes += size
	f := policy.File{Path: path, Size: size, SHA256: hex.EncodeToString(sum[:])}
	if utf8.Valid(content) {
		f.Text = string(content)
	} else {
		f.Content = content
	}
	c.files = append(c.files, f)
}

// skip tells of a file that is not brought back.
func (c *collector) skip(path, reason string) {
	if len(c.skipped) == policy.MaxSkippedFiles {
		c.more++
		return
	}
	c.skipped = append(c.skipped, policy.SkippedFile{Path: shown(path), Reason: reason})
}

// list is what is told of all that is not brought back, once it is over.
func (c *collector) list(err error, late bool) []policy.SkippedFile {
	if err != nil {
		why := "the jail was lost while its files were brought back"
		if late {
			why = "bringing the files back took too long"
		}
		for _, e := range c.rest {
			if c.asked.Match(string(e.Rest)) {
				c.skip(string(e.Rest), why)
			}
		}
		if c.rest == nil {
			c.skip("", why)
		}
	}
	if c.more > 0 {
		c.skipped = append(c.skipped, policy.SkippedFile{Reason: fmt.Sprintf("%d more are not brought back", c.more)})
	}
	if c.partial {
		c.skipped = append(c.skipped, policy.SkippedFile{Reason: fmt.Sprintf("only the first %d entries were looked at", wire.MaxCollectEntries)})
	}
	return c.skipped
}

// presentable says whether a path can be shown and typed as it is.
func presentable(path string) bool {
	return utf8.ValidString(path) && strings.IndexFunc(path, func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
	}) < 0
}

// shown is a path in text of one line, cut to what a path may have.
func shown(path string) string {
	if !presentable(path) {
		path = strings.Trim(strconv.QuoteToASCII(path), `"`)
	}
	if len(path) > policy.MaxOutputPathBytes {
		path = strings.ToValidUTF8(path[:policy.MaxOutputPathBytes], "") + "..."
	}
	return path
}
