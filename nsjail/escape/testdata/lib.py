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

def errno_name(error):
    return "%s: %s" % (type(error).__name__, error)
