package compile_test

import "testing"

// As for Python: ordinary programs see no refusal.
func TestJavaScriptUnderTheFilter(t *testing.T) {
	runRows(t, []row{
		{"hello", "javascript", `console.log("hello")`, "hello\n", nil},
		{"timers and promises", "javascript", `
setImmediate(() => { console.log("immediate"); setTimeout(() => console.log("timer"), 20); });
Promise.resolve().then(() => console.log("promise"));
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
`, "promise\nimmediate\ntimer\n", nil},
		{"the JIT, the collector and large arrays", "javascript", `
let a = []; for (let i = 0; i < 3e6; i++) a.push({i}); let s = 0; for (const x of a) s += x.i;
a = null; let b = Buffer.alloc(5e7); for (let i = 0; i < 30; i++) b = Buffer.concat([b.subarray(0, 1e6 * i), Buffer.alloc(1e6)]);
console.log(s, b.length);
`, "4499998500000 30000000\n", nil},
		{"compression", "javascript", `
const z = require("zlib");
z.gzip(Buffer.alloc(1e6), (e, b) => z.gunzip(b, (e, b) => console.log(b.length)));
z.brotliCompressSync(Buffer.alloc(1e5)); z.deflateSync("x");
`, "1000000\n", nil},
		{"crypto", "javascript", `
const c = require("crypto");
console.log(c.createHash("sha256").update("x").digest("hex").slice(0, 8), c.randomUUID().length);
c.randomBytes(10, (e, b) => c.webcrypto.subtle.digest("SHA-1", b).then(d => console.log(d.byteLength)));
c.pbkdf2Sync("a", "b", 1000, 32, "sha256"); c.scryptSync("a", "b", 16);
c.generateKeyPairSync("rsa", {modulusLength: 1024});
`, "2d711642 36\n20\n", nil},
		{"WebAssembly", "javascript", `
const b = Uint8Array.from([0,97,115,109,1,0,0,0,1,7,1,96,2,127,127,1,127,3,2,1,0,7,7,1,3,97,100,100,0,0,10,9,1,7,0,32,0,32,1,106,11]);
WebAssembly.instantiate(b).then(({instance}) => { let s = 0; for (let i = 0; i < 1e6; i++) s = instance.exports.add(s, 1); console.log(s); });
`, "1000000\n", nil},
		{"files, synchronous", "javascript", `
const fs = require("fs"), path = require("path");
const d = fs.mkdtempSync("t-"), f = path.join(d, "f");
fs.writeFileSync(f, "hello"); fs.appendFileSync(f, " you"); fs.renameSync(f, f + "2"); fs.copyFileSync(f + "2", f);
fs.symlinkSync("f", d + "/s"); fs.linkSync(f, d + "/h"); fs.chmodSync(f, 0o600); fs.utimesSync(f, 1, 1); fs.truncateSync(f, 3);
const fd = fs.openSync(f, "r+"); fs.writeSync(fd, "abc", 3); fs.writevSync(fd, [Buffer.from("x"), Buffer.from("y")], 6);
fs.readvSync(fd, [Buffer.alloc(2), Buffer.alloc(2)]); fs.readvSync(fd, [Buffer.alloc(2), Buffer.alloc(2)], 0);
fs.fsyncSync(fd); fs.fdatasyncSync(fd); fs.fchmodSync(fd, 0o644); fs.ftruncateSync(fd, 7); fs.closeSync(fd);
console.log(fs.readFileSync(f, "utf8"), fs.readdirSync(d), fs.realpathSync(d + "/s") === path.resolve(f), fs.statSync(f).mtimeMs > 0);
fs.accessSync(f); fs.statfsSync(d); fs.cpSync(d, d + "-c", {recursive: true}); fs.rmSync(d, {recursive: true}); fs.rmSync(d + "-c", {recursive: true});
process.umask(0o22); process.chdir(".."); process.cwd();
`, "helabcx [ 'f', 'f2', 'h', 's' ] true true\n", nil},
		{"files, by promises and streams", "javascript", `
const fs = require("fs"), p = fs.promises, {pipeline} = require("stream/promises"), z = require("zlib");
(async () => {
  const d = await p.mkdtemp("t-"); await p.writeFile(d + "/a", "x".repeat(1e6)); await p.copyFile(d + "/a", d + "/b");
  await pipeline(fs.createReadStream(d + "/b"), z.createGzip(), fs.createWriteStream(d + "/c"));
  const h = await p.open(d + "/c"); console.log((await h.stat()).size < 5000); await h.close();
  for await (const e of await p.opendir(d)) e.name;
  await p.cp(d, d + "-c", {recursive: true}); await p.rm(d, {recursive: true}); await p.rm(d + "-c", {recursive: true});
})();
`, "true\n", nil},
		{"what a process asks of itself", "javascript", `
const os = require("os"); os.cpus; os.totalmem(); os.availableParallelism(); os.release(); os.uptime(); process.cpuUsage();
process.resourceUsage(); process.hrtime(); process.memoryUsage.rss; process.title = "x"; process.getuid(); process.ppid; process.uptime();
process.on("SIGUSR2", () => { console.log("signalled"); process.exit(); }); process.kill(process.pid, "SIGUSR2"); setTimeout(() => {}, 5000);
`, "signalled\n", nil},
		{"worker threads", "javascript", `
const {Worker} = require("worker_threads");
new Worker("require('worker_threads').parentPort.postMessage(require('crypto').randomUUID().length)", {eval: true}).on("message", console.log);
`, "36\n", nil},
		{"locales", "javascript", `
console.log(new Date(0).toLocaleString("de-DE", {timeZone: "Europe/Berlin"}), new Intl.NumberFormat("en").format(12345.6));
`, "1.1.1970, 01:00:00 12,345.6\n", nil},
		{"processes are refused with an error", "javascript", `
const c = require("child_process");
for (const f of [() => { throw c.spawnSync("/bin/true").error }, () => c.execSync("true"), () => c.spawn("/bin/true"),
                 () => c.spawn("/bin/true", {stdio: "ignore"}), () => c.fork("x")])
  try { f(); console.log("ran"); } catch (e) { console.log(e.code); }
`, "EPERM\nEPERM\nEPERM\nEPERM\nEPERM\n", []string{"clone", "socketpair"}},
		{"sockets are refused with an error", "javascript", `
const net = require("net"); net.connect(80, "127.0.0.1").on("error", e => console.log(e.code));
net.createServer().on("error", e => console.log(e.code)).listen("/tmp/never-made");
require("dgram").createSocket("udp4").on("error", e => console.log(e.code)).bind(0);
`, "EPERM\nEPERM\nEPERM\n", []string{"socket"}},
		{"watching files is refused with an error", "javascript", `
try { require("fs").watch("."); console.log("watching"); } catch (e) { console.log(e.code); }
`, "EPERM\n", []string{"inotify_init1"}},
	})
}
