import base64
import math

data = bytes(range(0, 256, 17))
print(data.hex(" "), base64.b64encode(data).decode(), list(data[:4]), int.from_bytes(data[:4], "big"), (1025).to_bytes(2, "little"))
print(bytearray(b"abc") + b"d", b"a,b".split(b","), "é€😀".encode("utf-8"), "é€😀".encode("utf-16-le").hex(), b"\xff".decode("latin-1"))
print(bin(37), f"{37:08b}", 0b1010 ^ 0b0110, ~5, 1 << 40, (37).bit_length(), (0b10110).bit_count(), int("ff", 16), hex(255))
view = memoryview(bytearray(b"hello world"))
view[0:5] = b"HELLO"
print(bytes(view), view.nbytes, view[6:].tolist())


def crc32(payload):
    crc = 0xFFFFFFFF
    for byte in payload:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xEDB88320 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def run_length(text):
    out, i = [], 0
    while i < len(text):
        j = i
        while j < len(text) and text[j] == text[i]:
            j += 1
        out.append(f"{j - i}{text[i]}")
        i = j
    return "".join(out)


def caesar(text, shift):
    table = str.maketrans("".join(map(chr, range(97, 123))), "".join(chr(97 + (i + shift) % 26) for i in range(26)))
    return text.translate(table)


print(f"{crc32(b'123456789'):08x}", run_length("aaabccd"), caesar("hello", 3), caesar(caesar("hello", 3), -3))
print(math.gcd(84, 126), divmod(-7, 3), -7 // 2, -7 % 3, 7.5 // 2, 2 ** 0.5, 10 ** 20, 1e308 * 10, 0.1 + 0.2, round(2.5), round(-1.5), round(1234.567, -2))
print(complex(1, 2) * 3j, abs(3 + 4j), (3 + 4j).conjugate(), sum([0.1] * 10), math.fsum([0.1] * 10), True + True, float("1e-3"), int(3.99), "%.3e" % 12345.678)
