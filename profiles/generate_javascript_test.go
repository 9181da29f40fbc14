package profiles_test

import (
	"fmt"
	"strconv"
	"strings"
)

var (
	jsModules = words(`assert buffer workdir crypto events querystring string_decoder url util process util/types node:util
		path zlib timers stream fs child_process vm module worker_threads os node:fs`)
	jsGlobals = words(`Math Object Array Function Reflect Proxy Symbol Error Promise JSON Buffer process require module exports
		globalThis console setTimeout setImmediate queueMicrotask URL TextDecoder structuredClone Intl WeakRef Atomics eval arguments
		this EventTarget AbortController performance crypto`)
	jsNames = words(`constructor prototype __proto__ mainModule binding require cache exports parent children paths main
		getBuiltinModule stack prepareStackTrace captureStackTrace caller callee arguments apply call bind return_ then finally
		emit on once listeners domain stdout stderr stdin _handle fd write end pipe inspect custom format promisify debuglog
		callbackify deprecate types getOwnPropertyDescriptor getPrototypeOf setPrototypeOf defineProperty ownKeys construct get set
		toString valueOf toJSON next throw length name createHash Console Script compileFunction _load _extensions createRequire
		readText readBytes writeText writeBytes listFiles remove args env`)
	jsText = append(words("fs process child_process return(process) constructor require node:fs ../x data:text/javascript,1 import('fs') 1"), jsNames...)
)

const jsHead = `globalThis.got = [];
const note = (f) => {
  let found;
  try { found = f(); got.push(found); } catch (e) { found = e; got.push(e); }
  try { got.push(found.constructor, Object.getOwnPropertyDescriptors(found)); } catch (e) { got.push(e); }
  if (found && typeof found.then === 'function') { try { found.then((v) => got.push(v), (e) => got.push(e)); } catch (e) { got.push(e); } }
  return found;
};
const spy = (...a) => { got.push(a); return a[0]; };
class Own { constructor(...a) { got.push(a, new.target); } get x() { got.push(this); return this; } toString() { return 'fs'; } [Symbol.toPrimitive]() { return 'process'; } static [Symbol.hasInstance]() { return true; } }
const watch = new Proxy(function () {}, { get: (t, k, r) => { got.push(r); return k === Symbol.toPrimitive ? () => 'fs' : spy; }, apply: (t, s, a) => { got.push(s, a); return a[0]; } });
let m0 = Own, m1 = watch, m2 = spy, m3 = [], v0, v1, v2, v3;
`

// javaScriptProgram is pythonProgram's like.
func javaScriptProgram(c *choices) string {
	var b strings.Builder
	if c.n(6) == 1 {
		b.WriteString("import * as imported from '" + c.of(jsModules[:6]) + "';\n")
	}
	b.WriteString(jsHead)
	bold := c.n(4) == 1
	for range 1 + c.n(6) {
		fmt.Fprintf(&b, "try { m%d = require(%s); } catch (e) { got.push(e); }\n", c.n(4), strconv.Quote(c.of(jsModules[:jsLimit(bold, len(jsModules), 8)])))
	}
	for i := range 2 + c.n(14) {
		fmt.Fprintf(&b, "v%d = note(() => %s);\n", i%4, jsExpression(c, 3, bold))
	}
	if c.n(4) == 1 {
		fmt.Fprintf(&b, "try { Object.prototype[%s] = spy; } catch (e) { got.push(e); }\n", jsJoined(c))
		fmt.Fprintf(&b, "note(() => require('util').inspect(%s));\n", jsExpression(c, 2, bold))
	}
	return b.String()
}

func jsLimit(bold bool, all, some int) int {
	if bold {
		return all
	}
	return some
}

func jsExpression(c *choices, depth int, bold bool) string {
	if depth == 0 {
		return jsAtom(c, bold)
	}
	e := func() string { return jsExpression(c, depth-1, bold) }
	switch c.n(13) {
	case 0:
		return jsAtom(c, bold)
	case 1, 2:
		return "(" + e() + ")." + c.of(jsNames[jsLimit(!bold, 12, 0):])
	case 3, 4:
		return "(" + e() + ")[" + jsJoined(c) + "]"
	case 5, 6:
		return "(" + e() + ")(" + e() + ")"
	case 7:
		return "(" + e() + ")(" + e() + ", " + e() + ")"
	case 8:
		return "new (" + e() + ")(" + e() + ")"
	case 9:
		return "Reflect." + c.of(words("get ownKeys getPrototypeOf apply construct")) + "(" + e() + ", " + e() + ", [" + e() + "])"
	case 10:
		return "`${" + e() + "}`"
	case 11:
		return "{ [" + jsJoined(c) + "]: " + e() + " }[" + jsJoined(c) + "]"
	}
	return "[" + e() + ", ..." + "[" + e() + "]]"
}

func jsAtom(c *choices, bold bool) string {
	switch c.n(7) {
	case 0:
		return "m" + strconv.Itoa(c.n(4))
	case 1:
		return "v" + strconv.Itoa(c.n(4))
	case 2:
		if bold {
			return c.of(jsGlobals)
		}
		return c.of(words("Math Object Array Reflect Symbol Error Promise JSON Buffer process console globalThis URL module exports require"))
	case 3:
		return c.of(words("Own watch spy new(Own)() {} [] null 1 got note (()=>{}) (async()=>{}) (function*(){}) (async()=>{})() (function*(){})()"))
	case 4:
		return "(function () { return this; })()"
	case 5:
		return jsJoined(c)
	}
	return "new Error('x')"
}

func jsJoined(c *choices) string {
	text := c.of(jsText)
	at := c.n(len(text) + 1)
	return fmt.Sprintf("(%s + %s)", strconv.Quote(text[:at]), strconv.Quote(text[at:]))
}
