package policy

import (
	"unicode/utf8"
)

// pattern is one component of a glob, in the syntax of path.Match, ready to be held
// against names that a program chose: against one of n bytes it takes some n steps,
// whatever both are, since it follows all ways to match at once (Shift-And: bit i
// stands for the first i tokens matched).
type pattern struct {
	tokens []token
	stays  bits          // before which tokens, or behind the last, a star stands
	ascii  [128]bits     // which tokens a character is matched by, where that was asked
	others map[rune]bits // the same for the characters that are tokens
	groups []int         // tokens that are matched by more than one character
}

// token is one character, or, with ranges, one of a class.
type token struct {
	char   rune
	any    bool
	not    bool
	ranges [][2]rune
}

type bits []uint64

func newBits(n int) bits      { return make(bits, n/64+1) }
func (b bits) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bits) has(i int) bool { return b[i/64]>>(i%64)&1 == 1 }

// newPattern gives nil for one that is malformed.
func newPattern(text string) *pattern {
	p := &pattern{others: map[rune]bits{}}
	var stars []int
	for text != "" {
		if text[0] == '*' {
			text = text[1:]
			stars = append(stars, len(p.tokens))
			continue
		}
		t, rest, ok := nextToken(text)
		if !ok {
			return nil
		}
		p.tokens, text = append(p.tokens, t), rest
	}
	p.stays = newBits(len(p.tokens))
	for _, i := range stars {
		p.stays.set(i)
	}
	for i, t := range p.tokens {
		if t.any || t.ranges != nil {
			p.groups = append(p.groups, i)
		} else if p.others[t.char] == nil {
			p.others[t.char] = newBits(len(p.tokens))
		}
	}
	for c, matched := range p.others {
		p.fill(matched, c)
	}
	return p
}

func nextToken(text string) (t token, rest string, ok bool) {
	switch text[0] {
	case '?':
		return token{any: true}, text[1:], true
	case '[':
		return nextClass(text[1:])
	case '\\':
		if text = text[1:]; text == "" {
			return t, "", false
		}
	}
	c, n := decode(text)
	return token{char: c}, text[n:], true
}

// nextClass reads what stands behind an opening bracket.
func nextClass(text string) (t token, rest string, ok bool) {
	if text != "" && text[0] == '^' {
		t.not, text = true, text[1:]
	}
	for {
		if text != "" && text[0] == ']' && t.ranges != nil {
			return t, text[1:], true
		}
		var low, high rune
		if low, text, ok = nextInClass(text); !ok {
			return t, "", false
		}
		high = low
		if text[0] == '-' {
			if high, text, ok = nextInClass(text[1:]); !ok {
				return t, "", false
			}
		}
		t.ranges = append(t.ranges, [2]rune{low, high})
	}
}

// nextInClass reads one end of a range, behind which something must stand.
func nextInClass(text string) (c rune, rest string, ok bool) {
	if text == "" || text[0] == '-' || text[0] == ']' {
		return 0, "", false
	}
	if text[0] == '\\' {
		if text = text[1:]; text == "" {
			return 0, "", false
		}
	}
	c, n := utf8.DecodeRuneInString(text)
	if c == utf8.RuneError && n == 1 || n == len(text) {
		return 0, "", false
	}
	return c, text[n:], true
}

// decode is utf8.DecodeRuneInString, but for bytes that are no UTF-8, which stay what
// they are, beyond all characters.
func decode(text string) (c rune, n int) {
	c, n = utf8.DecodeRuneInString(text)
	if c == utf8.RuneError && n == 1 {
		c = utf8.MaxRune + 1 + rune(text[0])
	}
	return c, n
}

// fill notes the tokens that c is matched by.
func (p *pattern) fill(matched bits, c rune) {
	for i, t := range p.tokens {
		if t.matches(c) {
			matched.set(i)
		}
	}
}

func (t token) matches(c rune) bool {
	switch {
	case t.any:
		return true
	case t.ranges == nil:
		return t.char == c
	}
	if c > utf8.MaxRune {
		c = utf8.RuneError
	}
	for _, r := range t.ranges {
		if r[0] <= c && c <= r[1] {
			return !t.not
		}
	}
	return t.not
}

// of gives the tokens that c is matched by, in spare where it keeps them nowhere.
func (p *pattern) of(c rune, spare bits) bits {
	if c < int32(len(p.ascii)) {
		if p.ascii[c] == nil {
			p.ascii[c] = newBits(len(p.tokens))
			p.fill(p.ascii[c], c)
		}
		return p.ascii[c]
	}
	if known := p.others[c]; known != nil {
		return known
	}
	clear(spare)
	for _, i := range p.groups {
		if p.tokens[i].matches(c) {
			spare.set(i)
		}
	}
	return spare
}

// matches says whether the whole name is matched.
func (p *pattern) matches(name string) bool {
	now, spare := newBits(len(p.tokens)), newBits(len(p.tokens))
	now.set(0)
	for name != "" {
		c, n := decode(name)
		name = name[n:]
		var carry, alive uint64
		for w, matched := range p.of(c, spare) {
			on := now[w] & matched
			now[w] = now[w]&p.stays[w] | on<<1 | carry
			carry = on >> 63
			alive |= now[w]
		}
		if alive == 0 {
			return false
		}
	}
	return now.has(len(p.tokens))
}
