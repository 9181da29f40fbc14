package image

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func TestPythonInsideCan(t *testing.T) {
	img := sharedImage(t, policy.Python, "")
	for name, code := range map[string]string{
		"import every allowed module": `
import json, math, re, datetime, time, calendar, collections, functools, itertools, random, statistics, string
import base64, hashlib, hmac, secrets, urllib.parse, html, xml.etree.ElementTree, typing, types, copy, pprint, textwrap`,
		"import what compiles into other libraries": "import bz2, lzma, zlib, sqlite3, ssl, uuid, decimal, _decimal, mmap, _uuid, _queue",
		"parse and write JSON":                      "import json; assert json.loads(json.dumps({'a': [1, 2.5, None]})) == {'a': [1, 2.5, None]}",
		"calculate with decimals in C":              "import decimal; assert decimal.Decimal('0.1') + decimal.Decimal('0.2') == decimal.Decimal('0.3'); import _decimal",
		"parse dates, which imports _strptime":      "import datetime as d; assert d.datetime.strptime('2024-02-29', '%Y-%m-%d').day == 29",
		"run an event loop": `
import asyncio
async def f():
    await asyncio.sleep(0)
    return 7
assert asyncio.run(f()) == 7`,
		"start threads":              "import threading as t; x = t.Thread(target=print); x.start(); x.join()",
		"import socket, subprocess":  "import socket, subprocess, selectors, signal",
		"look up a time zone":        "import zoneinfo, datetime as d; assert d.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo('Europe/Berlin')).utcoffset().seconds == 7200",
		"look up a linked time zone": "import zoneinfo; zoneinfo.ZoneInfo('US/Eastern'); assert len(zoneinfo.available_timezones()) > 400",
		"set the UTF-8 locale":       "import locale; locale.setlocale(locale.LC_ALL, 'C.UTF-8'); assert locale.nl_langinfo(locale.CODESET) == 'UTF-8'",
		"compress three ways":        "import zlib, bz2, lzma\nfor m in (zlib, bz2, lzma): assert m.decompress(m.compress(b'x' * 999)) == b'x' * 999",
		"hash with OpenSSL":          "import hashlib; assert hashlib.new('sha3_256', b'').hexdigest()[:8] == 'a7ffc6f8'; hashlib.scrypt(b'p', salt=b's', n=2, r=8, p=1)",
		"keep a table in memory":     "import sqlite3; assert sqlite3.connect(':memory:').execute('select 6*7').fetchone() == (42,)",
		"make a TLS context":         "import ssl; ssl.create_default_context()",
		"make random numbers":        "import secrets; assert len(secrets.token_bytes(9)) == 9",
		"read and write the device nodes": `
for n in ('random', 'urandom'):
    with open('/dev/' + n, 'rb', buffering=0) as f: assert len(f.read(5)) == 5
with open('/dev/zero', 'rb', buffering=0) as f: assert f.read(5) == bytes(5)
with open('/dev/null', 'r+b', buffering=0) as f: assert f.write(b'x') == 1 and f.read() == b''`,
		"write in /tmp":            "import tempfile; tempfile.TemporaryFile().write(b'x')",
		"know its account's name":  "import pwd; assert pwd.getpwuid(1).pw_dir == '/tmp'",
		"show source in traceback": "import traceback, json\ntry: json.loads('{')\nexcept Exception as e: assert 'obj, end = self.scan_once' in traceback.format_exc() or 'self.raw_decode' in traceback.format_exc()",
		"read source by inspect":   "import inspect, json; assert 'def loads' in inspect.getsource(json)",
		"ask how it was built":     "import sysconfig; assert sysconfig.get_config_var('prefix') == '/usr'",
	} {
		t.Run(name, func(t *testing.T) {
			got := python(t, img, code)
			assert.Equal(t, 0, got.code, "%+v", got)
		})
	}
}

func TestPythonInsideCannotImport(t *testing.T) {
	img := sharedImage(t, policy.Python, "")
	for _, module := range []string{
		"ctypes", "_ctypes", "venv", "test", "unittest.test", "ensurepip", "idlelib", "tkinter", "_tkinter", "turtle",
		"lib2to3", "distutils", "pydoc_data", "readline", "_testcapi", "_testinternalcapi", "pip", "numpy", "apt_pkg",
	} {
		t.Run(module, func(t *testing.T) {
			got := python(t, img, "import "+module)
			assert.Equal(t, 1, got.code)
			assert.Contains(t, got.stderr, "ModuleNotFoundError")
		})
	}
}

func TestPythonTakesItsLibraryFromOurCompiledFiles(t *testing.T) {
	img := sharedImage(t, policy.Python, "")
	got := runInside(t, img, notRoot, "/usr/bin/python3", "-I", "-S", "-B", "-v", "-c", "import json, csv")
	require.Equal(t, 0, got.code, got.stderr)
	for _, file := range []string{`json/__pycache__/decoder`, `__pycache__/csv`} {
		assert.Regexp(t, `code object from '/usr/lib/python3\.\d+/`+file+`\.\S+\.pyc'`, got.stderr)
	}
	assert.NotRegexp(t, `code object from '?/usr/lib/\S+\.py'?\n`, got.stderr, "nothing was left to compile")
}

func TestEveryCompiledFileIsUncheckedAndShowsItsPathInTheImage(t *testing.T) {
	img := sharedImage(t, policy.Python, "")
	compiled := 0
	walkImage(t, img, func(path string, info os.FileInfo, content func() []byte) {
		if filepath.Ext(path) != ".pyc" {
			return
		}
		compiled++
		b := content()
		assert.Equal(t, uint32(1), binary.LittleEndian.Uint32(b[4:]), "flags of %s", path)
		source := filepath.Dir(path) + "/" + strings.SplitN(filepath.Base(path), ".", 2)[0] + ".py"
		source = strings.Replace(source, "__pycache__/", "", 1)
		assert.True(t, bytes.Contains(b, []byte(source)), "file name in the code object of %s", path)
	})
	assert.Greater(t, compiled, 400)
}

func TestHarnessIsStartedFromItsCompiledFile(t *testing.T) {
	img := sharedImage(t, policy.Python, "")
	got := runInside(t, img, notRoot, img.Interpreter, "-I", "-S", "-B", "-X", "utf8", ownDir+"/harness.pyc")
	require.Equal(t, 0, got.code, got.stderr)
	var files []string
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &files))
	assert.Equal(t, []string{ownDir + "/harness.pyc", ownDir + "/harness.py"}, files)
}

func TestFullImageKeepsWhatTheOthersLeaveOut(t *testing.T) {
	img, err := Build(t.Context(), Config{Language: policy.Python, Full: true})
	require.NoError(t, err)
	defer img.Close()
	got := python(t, img, "import ctypes, ensurepip, venv; assert ctypes.CDLL(None).getuid() == 300001")
	assert.Equal(t, 0, got.code, got.stderr)
	assert.Greater(t, img.Files, sharedImage(t, policy.Python, "").Files)
}

// A Python below a prefix that names this host must not say so inside.
func TestPythonOfAnOddPrefixIsRelocated(t *testing.T) {
	h, err := findRuntime(t.Context(), Config{Language: policy.Python})
	require.NoError(t, err)
	prefix := filepath.Join(t.TempDir(), "secret-prefix")
	name := filepath.Base(h.inside)
	program := filepath.Join(prefix, "bin", name)
	copyFile(t, h.path, program, 0o755)
	files, err := listTree(h.library, keepPython(false))
	require.NoError(t, err)
	for _, f := range files {
		copyFile(t, f.source, filepath.Join(prefix, "lib", name, f.rel), 0o644)
		if oddConfig(f.rel) {
			appendFile(t, filepath.Join(prefix, "lib", name, f.rel), "\nplanted = '"+prefix+"/lib'\n")
		}
	}
	appendFile(t, program, "\x00"+prefix+"/lib\x00") // as a compiled-in default or a run path would stand there

	img, err := Build(t.Context(), Config{Language: policy.Python, Interpreter: program})
	require.NoError(t, err)
	defer img.Close()
	assert.Equal(t, "/usr/bin/"+name, img.Interpreter)
	assert.Equal(t, program, img.Source)
	got := python(t, img, "import sys, json, sysconfig; print(sys.prefix, sys.executable, json.__file__)")
	assert.Equal(t, outcome{stdout: "/usr /usr/bin/" + name + " /usr/lib/" + name + "/json/__init__.py\n"}, got)
	walkImage(t, img, func(path string, info os.FileInfo, content func() []byte) {
		if info.Mode().IsRegular() {
			assert.False(t, bytes.Contains(content(), []byte(prefix)), "%s names the prefix", path)
		}
	})
}

func copyFile(t *testing.T, from, to string, mode os.FileMode) {
	t.Helper()
	b, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
	require.NoError(t, os.WriteFile(to, b, mode))
}

func appendFile(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}
