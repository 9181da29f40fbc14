"""Makes a program from a file of calls, and finds what no call covers.

A file holds definitions and expressions. Each top-level expression is one row:
the program prints its value, or the exception that it raises, behind its line.
Run by the bare interpreter; arguments are the module and the file.
Prints JSON: program, and uncovered, the public functions, classes and methods
of the module that no row names.
"""
import ast
import importlib
import json
import sys
import types

PRELUDE = '''
def show(line, call):
    try:
        value = call()
    except Exception as error:
        print(line, "raised", type(error).__name__, error)
    else:
        print(line, repr(value))
'''


def program(text):
    lines, parts = text.split("\n"), [PRELUDE]
    for node in ast.parse(text).body:
        first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", ())])
        source = "\n".join(lines[first - 1:node.end_lineno])
        if isinstance(node, ast.Expr):
            parts.append(f"show({first}, lambda: (\n{source}\n))")
        elif source not in parts:  # several statements in one line
            parts.append(source)
    return "\n".join(parts) + "\n"


def public(module):
    names = getattr(module, "__all__", None)
    if names is None:
        names = [n for n, v in vars(module).items() if n[0] != "_"
                 and getattr(v, "__module__", module.__name__) in (module.__name__, None)]
    for name in names:
        value = getattr(module, name)
        if isinstance(value, types.ModuleType) or not callable(value):
            continue
        yield name, name
        # The methods of a class that another module defines are that one's business.
        if isinstance(value, type) and value.__module__ == module.__name__:
            for method, v in vars(value).items():
                if method[0] != "_" and callable(getattr(value, method, None)):
                    yield f"{name}.{method}", method


def main():
    module, text = importlib.import_module(sys.argv[1]), open(sys.argv[2]).read()
    named = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute):
            named.add(node.attr)
        elif isinstance(node, ast.Name):
            named.add(node.id)
    uncovered = sorted(full for full, last in public(module) if last not in named)
    json.dump({"program": program(text), "uncovered": uncovered}, sys.stdout)


main()
