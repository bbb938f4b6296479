"""What a reply and a judgement are known by: SHA-256 of all that can change the result, and of nothing else."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from iamhumans.models.model import ModelIdentity
from iamhumans.prompts import Message, Request

_REPLY = "iamhumans reply 1"
_GIVEN_REPLY = "iamhumans given reply 1"
_JUDGEMENT = "iamhumans judgement 1"
"""The number goes up when a key's ingredients change, so that old results are never taken for new ones."""

_TOKEN_LENGTH = 10
_LETTERS = b"abcdefghijklmnopqrstuvwxyz234567" * 8
"""What stands for each byte: its last five bits."""
_MAX_TEXTS = 64

# Made once: json.dumps would make one for each call.
_encoder = json.JSONEncoder(ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def canonical_json(value: Any) -> str:
    """The one spelling of a JSON value that hashes are made of."""
    return _encoder.encode(value)


def content_hash(text: str) -> str:
    """SHA-256 of a text, in hexadecimal. A lone surrogate, which UTF-8 cannot hold, counts as itself."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def model_settings(identity: ModelIdentity) -> Mapping[str, Any]:
    """All of a model, besides the name that the user gave it, that can change what it answers.

    The same object for the same identity, since keys are made of it again and again: not to be changed.
    """
    known = _settings.get(id(identity))
    if known is None:
        if len(_settings) >= _MAX_TEXTS:
            _settings.clear()
        settings = {"provider": identity.provider, "model": identity.model, "settings": dict(identity.settings)}
        # The identity is held as well, or another one could come to have its id.
        known = _settings[id(identity)] = (identity, settings)
    return known[1]


_settings: dict[int, tuple[ModelIdentity, Mapping[str, Any]]] = {}


def reply_key(
    *,
    subject: str,
    settings: Mapping[str, Any],
    skill_hash: str | None,
    case_hash: str,
    number: int,
    salt: str = "",
) -> str:
    """The key of a reply that a subject is asked for.

    Args:
        subject: How the user named the subject.
        settings: What else can change its answers; of a model, :func:`model_settings`.
        skill_hash: The content hash of the skill; ``None`` without one.
        case_hash: ``Case.hash``.
        number: Counts the replies drawn for one case from 1.
        salt: The salt of a run that must not share results with earlier ones.
    """
    return _key([_REPLY, subject, settings, skill_hash, case_hash, number, salt])


def given_reply_key(*, subject: str, case_hash: str, number: int, text: str) -> str:
    """The key of a reply that nobody is asked for, since it came in a file."""
    return _key([_GIVEN_REPLY, subject, case_hash, number, content_hash(text)])


def judgement_key(
    *,
    rubric_hash: str,
    prompt_hash: str | None,
    persona_hash: str | None,
    case_hash: str,
    reply_hash: str,
    judge: str,
    settings: Mapping[str, Any],
    repeat: int,
    salt: str = "",
) -> str:
    """The key of one judgement.

    Args:
        rubric_hash: ``Rubric.hash``.
        prompt_hash: The hash of the template or of the built-in prompt; ``None`` for a judge that is sent none.
        persona_hash: The content hash of the persona; ``None`` without one.
        case_hash: ``Case.hash``.
        reply_hash: The content hash of the reply's text; where there is no reply, of the key that it would have had.
        judge: How the user named the judge.
        settings: What else can change its judgements; of a model, :func:`model_settings`.
        repeat: Counts the independent judgements of the same reply from 1.
        salt: The salt of a run that must not share results with earlier ones.
    """
    return _key(
        [_JUDGEMENT, rubric_hash, prompt_hash, persona_hash, case_hash, reply_hash, judge, settings, repeat, salt]
    )


def check_token(secret: bytes, key: str) -> str:
    """The token that a verdict should carry: always the same for a key, and unknown to whoever lacks the secret.

    Args:
        secret: ``Journal.secret``.
        key: The key of the judgement.
    """
    digest = hmac.digest(secret, key.encode(), "sha256")
    return digest[:_TOKEN_LENGTH].translate(_LETTERS).decode("ascii")


def request_hash(request: Request) -> str:
    """What a request is known by within its job: 128 bits of SHA-256 of its messages and its schema, in hexadecimal."""
    # The first message is the same for all cases.
    content = _hash_of(request.messages[:1]).copy()
    for message in request.messages[1:]:
        _add(content, message)
    if request.schema is not None:
        content.update(_text_of(request.schema))
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


_texts: dict[int, tuple[Any, bytes]] = {}


def _text_of(value: Any) -> bytes:
    """The canonical text of a schema or of settings. The same object comes again and again: the last are remembered."""
    known = _texts.get(id(value))
    if known is not None:
        return known[1]
    text = canonical_json(value).encode()
    if len(_texts) >= _MAX_TEXTS:
        _texts.clear()
    # The value itself is held as well, or another one could come to have its id.
    _texts[id(value)] = (value, text)
    return text


def _key(ingredients: list[Any]) -> str:
    return hashlib.sha256(f"[{','.join(map(_piece, ingredients))}]".encode()).hexdigest()


def _piece(value: Any) -> str:
    """The canonical text of one ingredient. An encoder is quick with a lone string only, and is made for all else."""
    if isinstance(value, str):
        return canonical_json(value)
    if value is None:
        return "null"
    if type(value) is int:
        return str(value)
    return _text_of(value).decode("ascii")
