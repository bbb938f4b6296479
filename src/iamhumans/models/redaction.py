"""Texts that are shown or stored contain no keys.

In an error text, known keys and what looks like a key become ``[key]``. An answer is never edited. If it repeats a real
secret, it is not used at all.

A *real secret* has at least 16 letters and digits, at least 8 different ones, and both letters and digits (from 32 on,
letters alone will do). A simpler key, such as ``test``, may be an ordinary word, so answers are not searched for it.

Key and answer are normalised in the same way and then compared: escapes are decoded, capitals become small, and all but
ASCII letters and digits is dropped. The base64 and hexadecimal forms of a key are searched for too.
"""

import base64
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from iamhumans.models.chat import FailureKind, ModelFailure, Reception
from iamhumans.models.providers import PROVIDERS
from iamhumans.text import one_line

MASK = "[key]"
_SEARCHED_CHARACTERS, _SHOWN_CHARACTERS = 4000, 300
_SECRET_LENGTH, _SECRET_VARIETY, _LONG_SECRET = 16, 8, 32

_HEX = "([0-9a-fA-F]{2})"
_ESCAPE = re.compile(rf"%(?:25)*{_HEX}|\\+(?:[uU]00|[xX]){_HEX}|&#[xX]0*{_HEX};|&#0*(?P<d>\d{{2,3}});")
_SMALL = bytes(range(256)).lower()
_NEITHER_LETTER_NOR_DIGIT = bytes(byte for byte in range(256) if not (byte < 128 and chr(byte).isalnum()))

# The usual beginnings of keys. Asterisks belong to them, since some providers show a key half hidden.
_BY_BEGINNING = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|ghp|gho|github_pat|glpat)[-_][\w.*-]{6,}|\bA(?:IzaSy|KIA)[\w-]{12,}"
)
# What follows these words is a key.
_INTRODUCED = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(bearer\s+)(?!token|auth|scheme)[^\s\"',;<>]+",
        r"\b(basic\s+)[A-Za-z0-9+/]{16,}=*",
        r"((?:x-api-key|api[-_ ]?key|authorization|access_token)[\"']?\s*[:=]\s*[\"']?)"
        r"(?!\[key\]|bearer|basic)[^\s\"',;<>&]+",
        r"([?&](?:key|token|secret|password)=)[^\s\"'&<>]+",
    )
]


class Redactor:
    """Knows the user's keys, and masks or finds them in texts."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._keys = frozenset(key for key in keys if len(key) >= 4)
        known = sorted(self._keys, key=len, reverse=True)
        self._known = known and re.compile("|".join("".join(map(_spelling, key)) for key in known), re.IGNORECASE)
        self._secrets = tuple({form for key in known if is_secret(key) for form in _forms(key)})

    @classmethod
    def of(cls, environ: Mapping[str, str], variables: Iterable[str] = ()) -> "Redactor":
        """Knows the keys in these variables, those of the providers, and those in names that end in ``_API_KEY``."""
        names = {*variables, *(provider.key_variable or "" for provider in PROVIDERS.values())}
        names |= {name for name in environ if name.upper().endswith("_API_KEY")}
        return cls(environ.get(name, "").strip() for name in names)

    def with_secrets(self, values: Iterable[str]) -> "Redactor":
        """Knows also those of the values, such as headers, that are secrets."""
        return Redactor([*self._keys, *filter(is_secret, values)])

    def shown(self, text: str) -> str:
        """The text for an error: one line, keys masked, control characters shown, at most 300 characters."""
        if self._known:
            text = self._known.sub(MASK, text)
        text = text[:_SEARCHED_CHARACTERS]
        for introduced in _INTRODUCED:
            text = introduced.sub(rf"\1{MASK}", text)
        text = _BY_BEGINNING.sub(MASK, text)
        return MASK if self.repeats_secret(text) else one_line(text, _SHOWN_CHARACTERS)

    def usable(self, reception: Reception) -> Reception:
        """The same reception, untouched. Raises ModelFailure if it repeats a real secret."""
        answer = reception.answer
        texts = (answer.text, answer.reasoning, answer.beside, answer.finish_reason, answer.note, reception.model)
        if self._secrets and self.repeats_secret(*texts):
            problem = "The answer repeats one of your API keys, so it was not used."
            raise ModelFailure(FailureKind.SECRET_ECHOED, problem, usage=reception.usage)
        return reception

    def repeats_secret(self, *texts: str) -> bool:
        """Whether a real secret is in one of the texts, in whatever spelling."""
        return any(secret in form for text in texts for form in _normal_forms(text) for secret in self._secrets)


def is_secret(key: str) -> bool:
    """Whether a key is long and random enough that no answer holds it by chance. See the rule above."""
    normal = _normal(key)
    mixed = not normal.isalpha() or len(normal) >= _LONG_SECRET
    return len(normal) >= _SECRET_LENGTH and len(set(normal)) >= _SECRET_VARIETY and mixed and not normal.isdigit()


def _normal(text: str) -> bytes:
    """ASCII letters and digits in small letters, once escapes are decoded (three times, as they can be nested)."""
    for _ in range(3 if ("%" in text or "\\" in text or "&#" in text) and _ESCAPE.search(text) else 0):
        text = _ESCAPE.sub(lambda at: chr(int(at["d"] or at[at.lastindex or 0], 10 if at["d"] else 16)), text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return text.encode("ascii", "ignore").translate(_SMALL, _NEITHER_LETTER_NOR_DIGIT)


def _normal_forms(text: str) -> Iterator[bytes]:
    yield _normal(text)
    if "\\" in text:  # `\n` is a line break, or a backslash before a letter of the key
        yield _normal(re.sub(r"\\+[nrtbfv]", "", text))
        yield _normal(text.replace("\\", ""))


def _forms(key: str) -> Iterator[bytes]:
    """The normal form of a key, of its hexadecimal form, and of its base64 form at each of three alignments."""
    data = key.encode("utf-8", "replace")
    yield _normal(key)
    yield data.hex().encode()
    for shift, start in enumerate((0, 2, 3)):
        encoded = base64.b64encode(bytes(shift) + data)
        # The characters at both ends depend on what is around the key.
        yield _normal(encoded[start : (shift + len(data)) * 8 // 6].decode())


def _spelling(character: str) -> str:
    """A pattern for a character of a key as errors usually spell it: as it is, percent-encoded, or in a JSON escape."""
    if character.isascii() and character.isalnum():
        return character
    return rf"(?:\\*{re.escape(character)}|%(?:25)*{ord(character):02x}|\\+u{ord(character):04x})"
