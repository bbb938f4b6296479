"""Keys never leave in a text: neither the ones that are known nor what looks like one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from iamhumans.text import one_line

MASK = "[key]"
SHOWN_CHARACTERS = 300
"""How much of a provider's text an error shows."""

_SHORTEST_KEY = 4
_SEARCHED_CHARACTERS = 4000

# The usual beginnings of keys; asterisks belong to it, since some providers show a key half hidden.
_BY_BEGINNING = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|ghp|gho|github_pat|glpat)[-_][\w.*-]{6,}|\bA(?:IzaSy|KIA)[\w-]{12,}"
)
_BEARER = re.compile(r"\b(bearer)\s+(?!token|auth|scheme)[^\s\"',;<>]+", re.IGNORECASE)
_BASIC = re.compile(r"\b(basic)\s+[A-Za-z0-9+/]{16,}=*", re.IGNORECASE)
_NAMED = re.compile(
    r"((?:x-api-key|api[-_ ]?key|authorization|access_token)[\"']?\s*[:=]\s*[\"']?)"
    r"(?!\[key\]|bearer|basic)[^\s\"',;<>&]+",
    re.IGNORECASE,
)
_IN_QUERY = re.compile(r"([?&](?:key|token|secret|password)=)[^\s\"'&<>]+", re.IGNORECASE)


class Redactor:
    """Replaces keys in foreign text."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._keys = tuple(sorted({key for key in keys if len(key) >= _SHORTEST_KEY}, key=len, reverse=True))
        forms = {form for key in self._keys for form in (key, quote(key, safe=""), key.replace("/", "\\/"))}
        longest_first = sorted(forms, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE) if forms else None

    def shown(self, text: str) -> str:
        """The text for an error: one line, keys masked, control characters shown, at most 300 characters."""
        if self._known is not None:
            text = self._known.sub(MASK, text)
        text = text[:_SEARCHED_CHARACTERS]
        text = _BEARER.sub(rf"\1 {MASK}", text)
        text = _BASIC.sub(rf"\1 {MASK}", text)
        text = _NAMED.sub(rf"\1{MASK}", text)
        text = _IN_QUERY.sub(rf"\1{MASK}", text)
        text = _BY_BEGINNING.sub(MASK, text)
        return one_line(text, SHOWN_CHARACTERS)

    def answer(self, text: str) -> str:
        """A model's own words with the known keys masked, and nothing else touched.

        Only a server that plays back its request headers gets here; what merely looks like a key may be what the
        model had to say.
        """
        for key in self._keys:
            if key in text:
                text = text.replace(key, MASK)
        return text
