package ledger

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// trail is a ledger's directory in memory.
type trail map[string][]byte

func load(t testing.TB, dir string) trail {
	t.Helper()
	list, err := segments(dir)
	require.NoError(t, err)
	found := trail{}
	for _, name := range append([]string{headName}, names(list)...) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		found[name] = text
	}
	return found
}

func names(list []segment) (out []string) {
	for _, s := range list {
		out = append(out, s.name)
	}
	return out
}

func (tr trail) clone() trail {
	out := trail{}
	for name, text := range tr {
		out[name] = bytes.Clone(text)
	}
	return out
}

// files are those of records, the oldest first.
func (tr trail) files() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(tr)), func(name string) bool { return name == headName })
}

// lines are those of the nth file, each with its newline.
func (tr trail) lines(n int) [][]byte {
	return slices.Collect(bytes.Lines(tr[tr.files()[n]]))
}

func (tr trail) setLines(n int, lines ...[]byte) {
	tr[tr.files()[n]] = bytes.Join(lines, nil)
}

func (tr trail) verify(t testing.TB, anchor *Point) error {
	t.Helper()
	dir := t.TempDir()
	for name, text := range tr {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	_, err := Verify(dir, anchor, nil)
	return err
}

// forge is a line that a writer without the chain's knowledge of the end, but with
// its form, would make.
func forge(t testing.TB, after []byte, edit func(*Record)) []byte {
	t.Helper()
	r, err := unseal(bytes.TrimSuffix(after, []byte("\n")))
	require.NoError(t, err)
	r.Seq, r.Prev = r.Seq+1, r.Hash
	if edit != nil {
		edit(&r)
	}
	line, err := seal(&r)
	require.NoError(t, err)
	return line
}

func TestWhatBreaksTheChainIsFoundAndNamed(t *testing.T) {
	whole := load(t, written(t, 60, small))
	require.NoError(t, whole.verify(t, nil))
	files := whole.files()
	require.Greater(t, len(files), 4)
	last := len(files) - 1
	for _, row := range []struct {
		name string
		how  How
		at   string // what the complaint begins with
		edit func(trail)
	}{
		{"an edited line", Edited, files[1] + ":2: ", func(tr trail) {
			tr[files[1]] = bytes.Replace(tr[files[1]], []byte(`"who":"uid 1000"`), []byte(`"who":"uid 1001"`), 2)
			l := tr.lines(1)
			l[0] = whole.lines(1)[0]
			tr.setLines(1, l...)
		}},
		{"an edited line whose hash was made anew", Edited, files[1] + ":3: ", func(tr trail) {
			l := tr.lines(1)
			l[1] = forge(t, l[0], func(r *Record) { r.Run.Who = "uid 7" })
			tr.setLines(1, l...)
		}},
		{"the last line edited and its hash made anew", Edited, files[last], func(tr trail) {
			l := tr.lines(last)
			n := len(l)
			l[n-1] = forge(t, l[n-2], func(r *Record) { r.Run.Who = "uid 7" })
			tr.setLines(last, l...)
		}},
		{"the end made anew from some record on", Edited, files[last], func(tr trail) {
			l := tr.lines(last)
			for i := 1; i < len(l); i++ {
				l[i] = forge(t, l[i-1], nil)
			}
			tr.setLines(last, l...)
		}},
		{"a line that is not there", Gap, files[1] + ":2: ", func(tr trail) {
			tr.setLines(1, slices.Delete(tr.lines(1), 1, 2)...)
		}},
		{"the first line that is not there", Edited, files[0] + ":1: ", func(tr trail) {
			tr.setLines(0, append([][]byte{[]byte("{}\n")}, tr.lines(0)[1:]...)...)
		}},
		{"the first line of a file that is not there", Gap, files[2] + ":1: ", func(tr trail) {
			tr.setLines(2, tr.lines(2)[1:]...)
		}},
		{"the last line of a file in the midst that is not there", Gap, files[2] + ": ", func(tr trail) {
			l := tr.lines(1)
			tr.setLines(1, l[:len(l)-1]...)
		}},
		{"a file in the midst that is not there", Gap, files[2] + ": ", func(tr trail) { delete(tr, files[1]) }},
		{"the first file that is not there", Gap, files[1] + ":1: ", func(tr trail) { delete(tr, files[0]) }},
		{"the last file that is not there", Truncated, files[last-1] + ": ", func(tr trail) { delete(tr, files[last]) }},
		{"no file but the head", Truncated, "head: ", func(tr trail) { maps.DeleteFunc(tr, func(n string, _ []byte) bool { return n != headName }) }},
		{"no head", Truncated, "head: ", func(tr trail) { delete(tr, headName) }},
		{"a head that is none", Edited, "head: ", func(tr trail) { tr[headName] = []byte("{}") }},
		{"a head of another ledger", Edited, files[last], func(tr trail) {
			tr[headName] = bytes.Replace(tr[headName], []byte(`"hash":"`), []byte(`"hash":"0`), 1)
			tr[headName] = slices.Delete(tr[headName], bytes.Index(tr[headName], []byte(`","closed`))-1, bytes.Index(tr[headName], []byte(`","closed`)))
		}},
		{"the last line that is not there", Truncated, files[last] + ": ", func(tr trail) {
			l := tr.lines(last)
			tr.setLines(last, l[:len(l)-1]...)
		}},
		{"half of the last line", TornEnd, files[last], func(tr trail) { tr[files[last]] = tr[files[last]][:len(tr[files[last]])-50] }},
		{"an end without its newline", TornEnd, files[last], func(tr trail) { tr[files[last]] = tr[files[last]][:len(tr[files[last]])-1] }},
		{"half of the last line in the midst", Truncated, files[1], func(tr trail) { tr[files[1]] = tr[files[1]][:len(tr[files[1]])-50] }},
		{"an empty file in the midst", Gap, files[2] + ": ", func(tr trail) { tr[files[1]] = nil }},
		{"two lines in the other order", Reordered, files[1] + ":2: ", func(tr trail) {
			l := tr.lines(1)
			l[1], l[2] = l[2], l[1]
			tr.setLines(1, l...)
		}},
		{"two files with each other's names", Reordered, files[1] + ":1: ", func(tr trail) { tr[files[1]], tr[files[2]] = tr[files[2]], tr[files[1]] }},
		{"a line twice", Duplicate, files[1] + ":3: ", func(tr trail) {
			l := tr.lines(1)
			tr.setLines(1, slices.Insert(l, 2, l[1])...)
		}},
		{"an older line at the end", Duplicate, files[last], func(tr trail) {
			tr.setLines(last, append(tr.lines(last), tr.lines(0)[1])...)
		}},
		{"an old file in place of the last", Reordered, files[last] + ":1: ", func(tr trail) { tr[files[last]] = tr[files[0]] }},
		{"an old file once more", Duplicate, "audit-0000000000000009.jsonl: ", func(tr trail) { tr["audit-0000000000000009.jsonl"] = tr[files[0]] }},
		{"an earlier state of the last file", Truncated, files[last] + ": ", func(tr trail) { tr.setLines(last, tr.lines(last)[:1]...) }},
		{"a line that someone put behind the end", Forged, files[last] + ": ", func(tr trail) {
			l := tr.lines(last)
			tr.setLines(last, append(l, forge(t, l[len(l)-1], nil))...)
		}},
		{"words behind the end", Forged, files[last] + ": ", func(tr trail) { tr[files[last]] = append(tr[files[last]], "hello\n"...) }},
		{"words in the midst", Edited, files[1] + ":2: ", func(tr trail) {
			tr.setLines(1, slices.Insert(tr.lines(1), 1, []byte("hello\n"))...)
		}},
		{"an empty line", Edited, files[1] + ":2: ", func(tr trail) {
			tr.setLines(1, slices.Insert(tr.lines(1), 1, []byte("\n"))...)
		}},
		{"a line without end", Edited, files[1] + ":1: ", func(tr trail) { tr[files[1]] = bytes.Repeat([]byte("x"), MaxLine+1) }},
		{"a record of a drop that was none", Edited, files[1], func(tr trail) {
			l := tr.lines(1)
			l[1] = forge(t, l[0], func(r *Record) { r.Kind, r.Run, r.Dropped = kindDropped, nil, &Point{r.Seq, r.Hash} })
			tr.setLines(1, l[:2]...)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			tr := whole.clone()
			row.edit(tr)
			err := tr.verify(t, nil)
			var broken *Broken
			require.ErrorAs(t, err, &broken)
			assert.Equal(t, row.how, broken.How, err.Error())
			assert.True(t, strings.HasPrefix(err.Error(), row.at), err.Error())
		})
	}
}

func TestAnEditOfAnyByteIsFound(t *testing.T) {
	dir := written(t, 6, small)
	whole := load(t, dir)
	names := append(whole.files(), headName)
	for _, name := range names {
		write := func(text []byte) { require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600)) }
		for i, was := range whole[name] {
			for _, edit := range []struct {
				how string
				do  func([]byte) []byte
			}{
				{"changed", func(text []byte) []byte { text[i] = other(was); return text }},
				{"a bit of it", func(text []byte) []byte { text[i] ^= 1 << rand.IntN(8); return text }},
				{"removed", func(text []byte) []byte { return slices.Delete(text, i, i+1) }},
				{"a newline before it", func(text []byte) []byte { return slices.Insert(text, i, '\n') }},
			} {
				if rand.IntN(12) > 0 { // enough of them at each run
					continue
				}
				write(edit.do(bytes.Clone(whole[name])))
				_, err := Verify(dir, nil, nil)
				assert.Error(t, err, "%s: byte %d, %q: %s", name, i, was, edit.how)
			}
		}
		write(whole[name])
	}
}

func other(b byte) byte {
	for {
		if c := byte(rand.IntN(256)); c != b {
			return c
		}
	}
}

// All that the directory holds can be made anew by whoever may write it. A point that
// was noted down elsewhere shows it.
func TestAnAnchorShowsWhatWasMadeAnew(t *testing.T) {
	dir := written(t, 10, nil)
	summary, err := Verify(dir, nil, nil)
	require.NoError(t, err)
	anew := load(t, written(t, 12, nil))
	require.NoError(t, anew.verify(t, nil))
	err = anew.verify(t, &summary.Last)
	var broken *Broken
	require.ErrorAs(t, err, &broken)
	assert.Equal(t, Edited, broken.How)
	err = load(t, written(t, 3, nil)).verify(t, &summary.Last)
	require.ErrorAs(t, err, &broken)
	assert.Equal(t, Truncated, broken.How)
	assert.NoError(t, load(t, dir).verify(t, &summary.Last))
}

// FuzzRead wants no panic and no endless loop, and nothing that differs from what was
// written to pass for it.
func FuzzRead(f *testing.F) {
	dir := written(f, 3, nil)
	h, err := readHead(dir)
	require.NoError(f, err)
	whole := load(f, dir)
	first := segmentFor(1)
	text := whole[first.name]
	f.Add(text)
	f.Add([]byte("\n\n"))
	f.Add(text[:300])
	f.Add(bytes.Replace(text, []byte("uid"), []byte("gid"), 1))
	f.Fuzz(func(t *testing.T, changed []byte) {
		for _, head := range []head{h, {Point: Point{0, origin}}} {
			c := &chain{head: head, list: []segment{first}}
			err := c.read(first, bytes.NewReader(changed), true)
			if err == nil {
				err = c.ends(c.list)
			}
			if head == h && !bytes.Equal(changed, text) {
				assert.Error(t, err)
			}
		}
	})
}
