# technique: modules are loaded from an archive that the program writes
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    import xml.etree.ElementTree as tree
    import zipimport
    import zipfile
    with zipfile.ZipFile("planted.zip", "w") as archive:
        archive.writestr("planted.py", "import os as found")
    return zipimport.zipimporter("planted.zip").load_module("planted").found

start_process(trick)
