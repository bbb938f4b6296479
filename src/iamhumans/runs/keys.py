"""The keys of replies and judgements: SHA-256 of everything that can change the result, and of nothing else.

A key has no name that a user may change freely: not that of a subject, a judge, a skill's file or a table in a config.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from iamhumans.cases import Case
from iamhumans.models.chat import ModelIdentity
from iamhumans.prompts import Message, Request

_TOKEN_LENGTH = 10
_LETTERS = b"abcdefghijklmnopqrstuvwxyz234567" * 8  # the letter for each byte: that of its last five bits
_MOST_TEXTS = 64

# Made once: json.dumps would make one for each call.
_encoder = json.JSONEncoder(ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def canonical_json(value: Any) -> str:
    """The one spelling of a JSON value that hashes are made of."""
    return _encoder.encode(value)


def content_hash(text: str) -> str:
    """SHA-256 of a text, in hexadecimal. A lone surrogate, which UTF-8 cannot hold, counts as itself."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def model_settings(identity: ModelIdentity) -> Mapping[str, Any]:
    """Everything about a model, besides the user's name for it, that can change its answers."""
    return {"provider": identity.provider, "model": identity.model, "settings": dict(identity.settings)}


def reply_key(*, settings: Mapping[str, Any], skill_hash: str | None, case: Case, number: int) -> str:
    """The key of a reply that a subject is asked for. The subject sees only the conversation of the case."""
    seen = content_hash(canonical_json([case.id, [[turn.speaker, turn.text] for turn in case.conversation]]))
    return _key("iamhumans reply 2", _text_of(settings), skill_hash, seen, number)


def given_reply_key(*, case: Case, number: int, text_hash: str) -> str:
    """The key of a reply that came from a file or from a program."""
    return _key("iamhumans given reply 2", case.hash, number, text_hash)


def judgement_key(
    rubric_hash: str,
    prompt_hash: str | None,
    persona_hash: str | None,
    case_hash: str,
    reply_hash: str,
    settings: Mapping[str, Any],
    repeat: int,
) -> str:
    """The key of one judgement. ``prompt_hash`` is ``None`` for a judge that is sent no prompt."""
    hashes = (rubric_hash, prompt_hash, persona_hash, case_hash, reply_hash)
    return _key("iamhumans judgement 2", *hashes, _text_of(settings), repeat)


def preference_key(
    *,
    prompt_hash: str | None,
    persona_hash: str | None,
    case_hash: str,
    first_hash: str,
    second_hash: str,
    settings: Mapping[str, Any],
) -> str:
    """The key of one choice between two replies, in the order in which they are shown."""
    hashes = (prompt_hash, persona_hash, case_hash, first_hash, second_hash)
    return _key("iamhumans preference 2", *hashes, _text_of(settings))


def check_token(secret: bytes, key: str) -> str:
    """The check token that a verdict should repeat: the same for a key, and unknown without the journal's secret."""
    digest = hmac.digest(secret, key.encode(), "sha256")
    return digest[:_TOKEN_LENGTH].translate(_LETTERS).decode("ascii")


def request_hash(request: Request) -> str:
    """The name of a request within its job: 128 bits of SHA-256 of its messages and its schema, in hexadecimal."""
    # The first message is the same for all cases.
    content = _hash_of(request.messages[:1]).copy()
    for message in request.messages[1:]:
        _add(content, message)
    if request.schema is not None:
        content.update(_text_of(request.schema).encode())
    return content.hexdigest()[:32]


@lru_cache(maxsize=16)
def _hash_of(messages: tuple[Message, ...]) -> hashlib._Hash:
    content = hashlib.sha256()
    for message in messages:
        _add(content, message)
    return content


def _add(content: hashlib._Hash, message: Message) -> None:
    data = message.content.encode("utf-8", "surrogatepass")
    content.update(f"{message.role} {len(data)}\n".encode())
    content.update(data)


_texts: dict[int, tuple[Any, str]] = {}


def _text_of(value: Any) -> str:
    """The canonical text of a schema or of settings. The last ones are remembered, since they come again and again."""
    known = _texts.get(id(value))
    if known is not None:
        return known[1]
    text = canonical_json(value)
    if len(_texts) >= _MOST_TEXTS:
        _texts.clear()
    # The value is stored as well, or another one could get its id.
    _texts[id(value)] = (value, text)
    return text


def salted(base: str, salt: str) -> str:
    """The key that a fresh run uses in place of another run's key."""
    return hashlib.sha256(f"{base} {salt}".encode()).hexdigest() if salt else base


def _key(*ingredients: Any) -> str:
    # The number of a kind of key goes up when its ingredients change: old results are never taken for new ones.
    return hashlib.sha256("\0".join([str(piece or "") for piece in ingredients]).encode()).hexdigest()
