import xml.etree.ElementTree as ET
from xml.etree.ElementTree import Element, SubElement, tostring

XML = """<?xml version="1.0"?>
<catalog updated="2024-05-01">
  <book id="b1" lang="en"><title>Dune</title><price currency="USD">9.99</price><tags><tag>scifi</tag><tag>classic</tag></tags></book>
  <book id="b2" lang="de"><title>Faust</title><price currency="EUR">5.50</price><tags/></book>
</catalog>"""

root = ET.fromstring(XML)
print(root.tag, root.attrib, len(root))
for book in root.iter("book"):
    tags = [t.text for t in book.findall("./tags/tag")]
    price = book.find("price")
    print(book.get("id"), book.findtext("title"), float(price.text), price.get("currency"), tags or "-")
print([b.get("id") for b in root.findall(".//book[@lang='de']")])
total = sum(float(p.text) for p in root.iterfind("book/price"))
out = Element("summary", total=f"{total:.2f}")
for book in root:
    SubElement(out, "item", {"ref": book.attrib["id"]}).text = book.find("title").text.upper()
ET.indent(out)
print(tostring(out, encoding="unicode"))
namespaces = {"a": "http://example.org/a"}
doc = ET.fromstring('<a:r xmlns:a="http://example.org/a"><a:i>1</a:i><a:i>2</a:i></a:r>')
print([i.text for i in doc.findall("a:i", namespaces)], doc.tag)
try:
    ET.fromstring("<open><unclosed></open>")
except ET.ParseError as e:
    print("ParseError", e.position, e)
