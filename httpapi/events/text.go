package events

import "unicode/utf8"

// decoder turns bytes that come in any pieces into UTF-8 text: the text is that of
// strings.ToValidUTF8 on all bytes together, which is how a result shows them. A
// run of bytes that are no character is one U+FFFD.
type decoder struct {
	held []byte // the beginning of a character, at most three bytes
	bad  bool   // the text so far ends in a run of bytes that are none
}

// add gives the text that is certain by now.
func (d *decoder) add(p []byte) []byte {
	p = append(d.held, p...)
	var out []byte
	for len(p) > 0 && utf8.FullRune(p) {
		p, out = d.take(p, out)
	}
	d.held = append([]byte(nil), p...)
	return out
}

// end gives what was held back: it has become bytes that are no character.
func (d *decoder) end() []byte {
	p := d.held
	var out []byte
	for len(p) > 0 {
		p, out = d.take(p, out)
	}
	d.held = nil
	return out
}

// cut gives how many bytes of a text are a piece of at most so many: it parts no
// character.
func cut(text []byte, most int) int {
	if len(text) <= most {
		return len(text)
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return max(most, 0)
}

func (d *decoder) take(p, out []byte) (rest, text []byte) {
	r, size := utf8.DecodeRune(p)
	if r != utf8.RuneError || size > 1 {
		d.bad = false
		return p[size:], append(out, p[:size]...)
	}
	if !d.bad {
		d.bad = true
		out = utf8.AppendRune(out, utf8.RuneError)
	}
	return p[1:], out
}
