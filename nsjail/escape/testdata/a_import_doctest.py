# technique: examples of a documentation text are run
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import doctest
    found = []
    test = doctest.DocTestParser().get_doctest(">>> keep(open)\n", {"keep": found.append}, "x", None, 0)
    doctest.DocTestRunner().run(test)
    return found[0]

read_host(trick)
