// technique: code that writes outside of its WebAssembly memory
// family: C4
// severity: H
// layers: engine
// verdict: exception
// expect: status=failed, exit_code=1
// (module (memory 1) (func (export "f") i32.const 0x7ffffffc i32.const 7 i32.store))
won('about to write out of bounds');
const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 5, 3, 1, 0, 1, 7, 5, 1, 1, 102, 0, 0,
  10, 16, 1, 14, 0, 65, 252, 255, 255, 255, 7, 65, 7, 54, 2, 0, 11]);
new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.f();
