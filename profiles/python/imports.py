# The import policy at run time: the __import__ of user frames. Library code has
# the interpreter's own.

class ImportDenied(ImportError):
    """The import policy refuses a module at run time."""


class PolicyViolation(Exception):
    """The import policy refuses at run time what the tree does not show."""


for refusal in (ImportDenied, PolicyViolation):
    refusal.__module__ = "builtins"  # so that a traceback shows the bare name

# Modules that C code imports through the frame of the program that called it.
# It takes them from sys.modules, whatever is returned.
FOR_C = frozenset("""
_pylong _strptime collections.abc copyreg datetime decimal functools io json.decoder locale numbers
re time typing unicodedata warnings weakref
""".split())


def make_import(policy, namespaces):
    real, modules = builtins.__import__, sys.modules
    roots = {name.partition(".")[0] for name in COPIED} - {
        name.partition(".")[0] for name in policy.imports - COPIED}

    def refuse(refused, name):
        if refused:
            raise ImportDenied(refused[1], name=name)

    def __import__(name, globals=None, locals=None, fromlist=(), level=0):
        # C code passes a list where statements pass a tuple or None.
        name = exact(name)
        if type(fromlist) is list:
            fromlist = [exact(item) for item in fromlist]
            if name not in modules and name not in FOR_C:
                refuse(policy.refuse_import(name) or (None, f"module {name} is not imported that way"), name)
            real(name, None, None, fromlist, 0)
            return None
        fromlist = tuple(map(exact, fromlist or ()))
        if level:
            raise ImportError("attempted relative import with no known parent package")
        if name == "__future__":
            real(name)
            return namespaces.copy(name)
        for item in fromlist:
            refuse(policy.refuse_from(name, item), name)
        if not fromlist:
            refuse(policy.refuse_import(name), name)
        root = name.partition(".")[0]
        if root not in roots:
            return real(name, globals, locals, fromlist, level)
        if not fromlist:
            real(name)
            namespaces.bind(name)
            return namespaces.of(root)
        for item in fromlist:
            whole = f"{name}.{item}"
            if whole in policy.imports:
                real(whole)
                namespaces.bind(whole)
        if name not in policy.imports:
            return namespaces.of(name)
        real(name)
        return namespaces.bind(name)

    return __import__
