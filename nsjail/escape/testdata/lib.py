# Put in front of every Python probe. It imports nothing that a level forbids.
def _report(won, proof):
    text = "".join(c if c.isalnum() or c in " _-.,:;/()[]=+@<>'" else "?" for c in str(proof))[:300]
    print('\nPROBE {"won": %s, "proof": "%s"}' % ("true" if won else "false", text), flush=True)

def won(proof):
    """The technique worked: proof is what it got hold of."""
    _report(True, proof)

def held(why):
    """It was refused: why is the errno or what was seen instead."""
    _report(False, why)

def reached(what):
    """The technique has its object in hand, whatever comes of using it."""
    print('\nPROBE {"reached": true, "proof": "%s"}' % what, flush=True)

def errno_name(error):
    return "%s: %s" % (type(error).__name__, error)

def is_builtin(found, name):
    """Says whether found is the interpreter's own function of that name."""
    return type(found).__name__ == "builtin_function_or_method" and found.__name__ == name

def open_of(space):
    """The function open of the module builtins or of its table."""
    return space["open"] if isinstance(space, dict) else space.open

def read_host(find_open):
    """Wins with the canary of a host file if find_open, a trick, gives a working open."""
    try:
        opener = find_open()
    except Exception as e:
        return held("the trick gave nothing: " + errno_name(e))
    try:
        if is_builtin(opener, "open"):
            reached("the builtin open")
        elif len(opener("/dev/null").read()) == 0:
            reached("what opens files by path")
    except Exception as e:
        return held("the trick worked, opening did not: " + errno_name(e))
    try:
        text = opener("@READABLE@").read()
        (won if text else held)("read " + (text if isinstance(text, str) else text.decode()))
    except Exception as e:
        held("the trick worked, reading did not: " + errno_name(e))

def start_process(find_os):
    """Wins with a child's exit status if find_os, a trick, gives the module os."""
    try:
        system = find_os()
    except Exception as e:
        return held("the trick gave nothing: " + errno_name(e))
    try:
        if is_builtin(system.posix_spawn, "posix_spawn"):
            reached("the module " + system.__name__)
        child = system.posix_spawn("/bin/sh", ["sh", "-c", "exit 7"], {})
        won("child's exit status %d" % system.waitstatus_to_exitcode(system.waitpid(child, 0)[1]))
    except Exception as e:
        held("the trick worked, starting a process did not: " + errno_name(e))

def tiny_program(message):
    """A static ELF for x86-64, in bytes, that writes message to stdout and exits with 7."""
    n = lambda value, size: value.to_bytes(size, "little")
    code = bytes.fromhex("b801000000 bf01000000 488d3513000000 ba") + n(len(message), 4)
    code += bytes.fromhex("0f05 b83c000000 bf07000000 0f05") + message
    size = 64 + 56 + len(code)
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + n(2, 2) + n(62, 2) + n(1, 4) + n(0x400078, 8) + n(64, 8) + bytes(12)
    header += n(64, 2) + n(56, 2) + n(1, 2) + bytes(6)
    segment = n(1, 4) + n(5, 4) + bytes(8) + n(0x400000, 8) * 2 + n(size, 8) * 2 + n(0x1000, 8)
    return header + segment + code

def won_line(proof):
    """What won(proof) prints, as bytes."""
    return ('\nPROBE {"won": true, "proof": "%s"}\n' % proof).encode()
