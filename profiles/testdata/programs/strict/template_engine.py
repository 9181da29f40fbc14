import re
import html
from string import Template
from urllib.parse import parse_qs, quote, urlencode, urljoin, urlsplit, urlunsplit

PAGE = """<h1>{{ title }}</h1>
{% for item in items %}<li>{{ item.name|upper }}: {{ item.price }}</li>
{% endfor %}<p>{{ note }}</p>"""


def lookup(name, context):
    value = context
    for part in name.split("."):
        value = value[part]
    return value


def render(text, context):
    def loop(match):
        name, source, body = match.groups()
        return "".join(render(body, {**context, name: value}) for value in lookup(source, context))

    def expression(match):
        name, _, filters = match.group(1).strip().partition("|")
        value = str(lookup(name.strip(), context))
        for f in filter(None, filters.split("|")):
            value = {"upper": str.upper, "lower": str.lower}[f.strip()](value)
        return html.escape(value)

    text = re.sub(r"{% for (\w+) in (\w+) %}(.*?){% endfor %}", loop, text, flags=re.S)
    return re.sub(r"{{(.*?)}}", expression, text)


print(render(PAGE, {"title": "Shop & Co", "items": [{"name": "tea", "price": 3}, {"name": "<b>", "price": 4.5}], "note": "bye"}))
print(Template("$name owes $$${amount}").substitute(name="Bo", amount=5), Template("$a $b").safe_substitute(a=1))
url = urlsplit("https://example.org:8443/a/b?x=1&x=2&y=#top")
print(url.hostname, url.port, parse_qs(url.query, keep_blank_values=True), urljoin(url.geturl(), "../c"))
print(urlunsplit(url._replace(query=urlencode({"q": "a b", "r": ["1", "2"]}, doseq=True), fragment="")), quote("é/ü"))
print("{0:>10}|{1:^10}|{2:<10}|{name!r:*^12}".format("right", "mid", "left", name="n"), f"{'nested':{'>'}{10}}", f"{1e6:,.1f} {255:#x} {0.256:.1%}")
width, precision = 12, 4
print(f"{3.14159265:{width}.{precision}f}|{'x' * 3!r:>{width}}|{width=}")
