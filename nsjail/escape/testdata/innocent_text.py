# technique: regular expressions and text
# family: innocents
# innocent: yes
import re
import string
import textwrap

found = re.findall(r"(?P<user>\w+)@(\w+)\.org", "ann@example.org, bob@example.org")
wrapped = textwrap.wrap("the quick brown fox jumps over the lazy dog", 16)
filled = string.Template("$who is $age").substitute(who="Ann", age=7)
ok = [f[0] for f in found] == ["ann", "bob"] and len(wrapped) == 3 and filled == "Ann is 7" and "{:>8,.2f}".format(1234.5) == "1,234.50"
(won if ok else held)(filled)
