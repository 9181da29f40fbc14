# technique: an encoding named in the first line hides a statement in a comment
# family: A
# severity: H
# layers: policy, seccomp
# coding: raw_unicode_escape
space = {}
# \u000aimport os; space["found"] = os
if "found" in space:
    start_process(lambda: space["found"])
else:
    held("the comment stayed one")
