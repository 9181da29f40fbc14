# technique: directories two hundred deep, in which a collector that recurses gets lost
# family: C6
# severity: H
# layers: policy, collector
# verdict: completed
# expect: status=succeeded, files=1, files_skipped=1
import os

with open("beside", "w") as f:
    f.write("x")
os.makedirs("/".join(["d"] * 200))
won("a collector would go 200 deep")
