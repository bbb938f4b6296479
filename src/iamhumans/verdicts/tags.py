"""What an answer states in tags: ``<pity>NO</pity>``, ``<axis name="naturalness" score="8"/>``."""

from __future__ import annotations

import re

from iamhumans.text import YamlValue
from iamhumans.verdicts.blocks import Form
from iamhumans.verdicts.parse import Entry
from iamhumans.verdicts.values import plain_key

VALUE_NAMES = frozenset(
    ["score", "rating", "value", "answer", "present", "result", "verdict", "yes_no", "flag", "points", "status"]
)
"""Names of what holds an answer, in attributes, tags and heads of tables."""
QUOTE_NAMES = frozenset(["evidence", "quote", "quotes", "words", "example", "examples"])
"""Names of what holds the words of a reply."""

_NAME_ATTRIBUTES = frozenset(["name", "id", "key", "axis", "flag"])
_TAG = re.compile(
    r"<(?P<name>[A-Za-z][\w-]*)(?P<attributes>(?:\s+[\w-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'))*)\s*(?P<empty>/)?>"
)
_TAG_NAME = re.compile(r"<([A-Za-z][\w-]*)")
_INNER_TAG = re.compile(r"<([A-Za-z][\w-]*)>([^<>]*)</\1>")
_ATTRIBUTE = re.compile(r"([\w-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


def read_tags(text: str, form: Form) -> tuple[list[Entry], str]:
    """What is stated in tags (``<pity>NO</pity>``), and the text without them."""
    entries: list[Entry] = []
    rest, position = [], 0
    section = ""
    never_closed: set[str] = set()
    while tag := _TAG.search(text, position):
        rest.append(text[position : tag.start()])
        position = tag.end()
        attributes = {plain_key(name): one or other for name, one, other in _ATTRIBUTE.findall(tag["attributes"])}
        names = [attributes[name] for name in attributes if name in _NAME_ATTRIBUTES]
        key = next((name for name in map(plain_key, [tag["name"], *names]) if name in form.known), "")
        if key in form.headings:
            section = key
            continue
        if not key:
            continue
        stated = [value for name, value in attributes.items() if name in VALUE_NAMES]
        if tag["empty"]:
            content = stated[0] if len(stated) == 1 else ""
        else:
            closing = "" if tag["name"] in never_closed else f"</{tag['name']}>"
            end = text.find(closing, position) if closing else -1
            if end < 0:
                never_closed.add(tag["name"])
                continue
            content, position = text[position:end], end + len(closing)
            content = stated[0] if len(stated) == 1 else content
            if key not in form.parts and any(plain_key(name) in form.known for name in _TAG_NAME.findall(content)):
                position = tag.end()  # a verdict, and not the word PASS or FAIL
                continue
        home = form.section_of.get(key, "")
        value, quotes = _content(content)
        if section == "evidence" and home == "hard_fails" and not is_answer(value):
            entries.append(("evidence", key, value))
            continue
        entries.append((home, key, value))
        if quotes and home == "hard_fails":
            entries.append(("evidence", key, quotes))
    return entries, "".join([*rest, text[position:]])


def _content(content: str) -> tuple[str, list[YamlValue]]:
    """The value in a tag, which may be in a tag inside, and the quotes beside it."""
    inner = {plain_key(name): inside.strip() for name, inside in _INNER_TAG.findall(content)}
    if not inner:
        return content.strip(), []
    values = [inner[name] for name in inner if name in VALUE_NAMES]
    quotes: list[YamlValue] = [inner[name] for name in inner if name in QUOTE_NAMES and not is_nothing(inner[name])]
    outside = _INNER_TAG.sub("", content).strip()
    return (values[0] if len(values) == 1 and not outside else outside), quotes


def is_answer(value: str) -> bool:
    """Whether a value begins with YES or NO."""
    return bool(re.match(r"[*_`\"' ]*(?:yes|no|true|false)\b", value, re.IGNORECASE))


def is_nothing(value: YamlValue) -> bool:
    """Whether a value only says that there is none."""
    return isinstance(value, str) and value.strip(" \"'-–—.").lower() in ("", "n/a", "none", "null")
