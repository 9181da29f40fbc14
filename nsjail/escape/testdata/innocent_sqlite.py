# technique: a database in memory and in a file
# family: innocents
# innocent: yes
# policy: relaxed
import sqlite3

memory = sqlite3.connect(":memory:")
memory.execute("create table t (name text, size int)")
memory.executemany("insert into t values (?, ?)", [("n%d" % i, i) for i in range(1000)])
(total,) = memory.execute("select sum(size) from t where size % 2 = 0").fetchone()
(won if total == 249500 else held)("the sum is %d" % total)
