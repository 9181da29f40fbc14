# technique: read and write XML and HTML text
# family: innocents
# innocent: yes
import html
import urllib.parse
import xml.etree.ElementTree as tree

root = tree.fromstring("<list><item n='1'>a</item><item n='2'>b</item></list>")
tree.SubElement(root, "item", n="3").text = "c & d"
text = tree.tostring(root, encoding="unicode")
query = urllib.parse.parse_qs(urllib.parse.urlsplit("http://x/y?a=1&b=2&a=3").query)
ok = len(root.findall("item")) == 3 and "c &amp; d" in text and html.unescape("&lt;&eacute;") == "<é" and query["a"] == ["1", "3"]
(won if ok else held)(text)
