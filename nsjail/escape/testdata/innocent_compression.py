# technique: compress and pack
# family: innocents
# innocent: yes
# policy: relaxed
import bz2
import gzip
import io
import lzma
import struct
import zipfile
import zlib

data = b"abc" * 10_000
ok = all(m.decompress(m.compress(data)) == data for m in [bz2, gzip, lzma, zlib])
file = io.BytesIO()
with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("a.txt", data)
ok = ok and zipfile.ZipFile(file).read("a.txt") == data and struct.unpack("<IH", struct.pack("<IH", 7, 8)) == (7, 8)
(won if ok else held)("%d bytes zipped" % len(file.getvalue()))
