# technique: a database opens a file by its path
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
try:
    import sqlite3
    link = sqlite3.connect("file:@READABLE@?mode=ro", uri=True)
    reached("a database library that opens paths")
    try:
        link.execute("select * from sqlite_master")
        held("an ordinary database")
    except sqlite3.DatabaseError as e:
        (won if "not a database" in str(e) else held)("the file was opened: %s" % e)
except Exception as e:
    held(errno_name(e))
