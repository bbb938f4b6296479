"""Nothing that is or looks like a key gets through."""

from __future__ import annotations

import base64
import quopri
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iamhumans.models import Reception
from iamhumans.models.redaction import Redactor, is_secret
from iamhumans.models.server_model import Server
from iamhumans.prompts import Answer

KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=60).filter(
    lambda key: key not in "[key]"
)


@given(KEYS, st.text(max_size=50), st.text(max_size=50))
def test_a_known_key_is_never_shown(key: str, before: str, after: str) -> None:
    shown = Redactor([key]).shown(f"{before} {key} {after}")
    assert key not in shown.replace("[key]", "")


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-abcdef123456.",
        "sk-ant-api03-abcdef",
        "Authorization: Bearer abcdef123456",
        "authorization='abcdef123456'",
        '{"x-api-key": "abcdef123456"}',
        "https://example.org/v1?key=abcdef123456",
        "Basic YWJjZGVmMTIzNDU2Nzg5MA== abcdef123456"[:35],
    ],
)
def test_what_looks_like_a_key_is_masked(text: str) -> None:
    shown = Redactor().shown(text)
    assert "abcdef" not in shown
    assert "YWJj" not in shown
    assert "[key]" in shown


@pytest.mark.parametrize("form", ["ab%2Fcd%2Bef01", "ab\\/cd+ef01", "AB/CD+EF01"])
def test_a_known_key_is_masked_in_its_usual_spellings(form: str) -> None:
    assert Redactor(["ab/cd+ef01"]).shown(f"it was {form}") == "it was [key]"


@pytest.mark.parametrize("text", ["Missing bearer token", "basic auth is off", "the task-list is long", "no key given"])
def test_ordinary_words_stay(text: str) -> None:
    assert Redactor(["", "a"]).shown(text) == text


def test_a_key_at_the_place_where_the_text_is_cut_is_masked() -> None:
    key = "k" * 20
    assert "kkkk" not in Redactor([key]).shown("x" * 295 + key)


SECRET = "sk-proj-aB3/dE5+gH7_jK9mN1pQ"
SPELLINGS = {
    "as it is": SECRET,
    "capitals": SECRET.upper(),
    "small letters": SECRET.lower(),
    "percent encoding": quote(SECRET, safe=""),
    "percent encoding of everything": "".join(f"%{ord(letter):02X}" for letter in SECRET),
    "percent encoding in small letters": "".join(f"%{ord(letter):02x}" for letter in SECRET),
    "percent encoding, twice": quote(quote(SECRET, safe=""), safe=""),
    "JSON escapes": "".join(f"\\u{ord(letter):04x}" for letter in SECRET),
    "JSON escapes in JSON": "".join(f"\\\\u{ord(letter):04X}" for letter in SECRET),
    "an escaped slash": SECRET.replace("/", "\\/"),
    "backslashes": "".join(f"\\{letter}" for letter in SECRET),
    "HTML entities": "".join(f"&#{ord(letter)};" for letter in SECRET),
    "hexadecimal HTML entities": "".join(f"&#x{ord(letter):x};" for letter in SECRET),
    "a line break": f"{SECRET[:12]}\r\n{SECRET[12:]}",
    "an escaped line break": f"{SECRET[:12]}\\n{SECRET[12:]}",
    "blanks": " ".join(SECRET),
    "zero-width characters": "\u200b".join(SECRET),
    "full-width letters": "".join(chr(ord(letter) + 0xFEE0) for letter in SECRET),
    "hexadecimal": SECRET.encode().hex(),
    "quoted-printable": quopri.encodestring(SECRET.encode()).decode(),
    **{
        f"base64 after {before!r}": base64.b64encode(f"{before}{SECRET}:x".encode()).decode()
        for before in ("", "a", "ab", "user:", "Bearer ")
    },
    "base64 for URLs": base64.urlsafe_b64encode(SECRET.encode()).decode(),
    "base64 in lines": base64.encodebytes(f"x{SECRET * 4}".encode()).decode(),
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_a_real_secret_is_found_in_every_spelling(spelling: str) -> None:
    assert Redactor([SECRET]).repeats_secret(f"It says: {spelling}!")
    assert SECRET not in Redactor([SECRET]).shown(f"It says: {spelling}!")


@pytest.mark.parametrize(
    ("key", "secret"),
    [
        ("sk-proj-aB3dE5gH7jK9mN1pQ3", True),
        ("0f8fad5b-d9cb-469f-a165-70867728950e", True),
        ("AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh", True),
        ("test", False),
        ("sk-test", False),
        ("sk-no-key-required", False),
        ("local-development", False),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", False),
        ("test1234test1234", False),
        ("1234567890123456", False),
        ("----------------------------------------", False),
    ],
)
def test_only_a_long_and_varied_key_is_a_real_secret(key: str, secret: bool) -> None:
    assert is_secret(key) is secret
    assert Redactor([key]).repeats_secret(f"it is {key}") is secret


@given(st.text(max_size=200))
def test_an_answer_is_never_edited(text: str) -> None:
    reception = Reception(Answer(text))
    assert Redactor(["test", "a b", "secret-1234", SECRET]).usable(reception) is reception


def test_another_key_is_not_taken_for_the_known_one() -> None:
    text = "sk-proj-zB3/dE5+gH7_jK9mN1pQ and sk-proj-aB3/dE5+gH7_jK9mN1p"
    assert not Redactor([SECRET]).repeats_secret(text)


def test_the_key_of_a_server_is_not_in_its_repr() -> None:
    server = Server("https://h/v1", "h", {"Authorization": "Bearer secret-1234"}, Redactor())
    assert "secret-1234" not in repr(server)
