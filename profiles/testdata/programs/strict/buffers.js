const { Buffer } = require('node:buffer');
const { StringDecoder } = require('string_decoder');

const b = Buffer.from('héllo wörld €', 'utf8');
console.log(b.length, b.toString('hex'), b.toString('base64'), b.subarray(0, 3), b.indexOf('w'));
console.log(Buffer.concat([Buffer.from([1, 2]), Buffer.alloc(2, 7)]), Buffer.compare(Buffer.from('a'), Buffer.from('b')), Buffer.isBuffer(b), Buffer.byteLength('€'));
const packet = Buffer.alloc(12);
packet.writeUInt32BE(0xdeadbeef, 0);
packet.writeInt16LE(-2, 4);
packet.writeFloatBE(1.5, 6);
console.log(packet, packet.readUInt32BE(0).toString(16), packet.readInt16LE(4), packet.readFloatBE(6), packet.equals(Buffer.from(packet)));
const view = new DataView(new ArrayBuffer(8));
view.setFloat64(0, Math.PI);
console.log([...new Uint8Array(view.buffer)], new Uint16Array([1, 65537]), Uint8Array.from('123', Number), new Float32Array(2).fill(0.5));
console.log(new TextEncoder().encode('é'), new TextDecoder('utf-8').decode(new Uint8Array([226, 130, 172])), btoa('hi'), atob('aGk='));
const decoder = new StringDecoder('utf8');
console.log(decoder.write(Buffer.from([0xe2, 0x82])) + decoder.write(Buffer.from([0xac])) + decoder.end());
console.log(b.toJSON().data.slice(0, 3), Buffer.from('ff00', 'hex').readUInt16BE(), b.slice(-3).toString(), b.includes('llo'), Buffer.from('abc').reverse().toString('latin1'));
let crc = -1;
for (const byte of Buffer.from('123456789')) {
  crc ^= byte;
  for (let k = 0; k < 8; k++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
}
console.log(((crc ^ -1) >>> 0).toString(16));
