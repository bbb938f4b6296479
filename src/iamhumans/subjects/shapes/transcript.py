"""A conversation in one text, where its marks can mean one thing only."""

import re

from iamhumans.subjects.shapes.messages import said
from iamhumans.subjects.shapes.said import Said, Voice

_USERS, _ASSISTANTS = "user|human|customer|prompter|you", "assistant|ai|bot|chatbot|gpt|chatgpt|model|claude"
_LINE = re.compile(
    r"(?:^|\n)[ \t]*(?:#{1,4}[ \t]*)?(?:\*\*|__)?"
    rf"(?:(?P<user>{_USERS})|(?P<assistant>{_ASSISTANTS})|(?P<system>system))"
    r"(?:\*\*|__)?:(?:\*\*|__)?[ \t]*",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"(?:<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>|<\|)\s*(?P<role>user|assistant|model|system)\s*"
    r"(?:<\|end_header_id\|>|\|>)?\s*"
)
_ENDS = re.compile(
    r"\s*(?:<\|im_end\|>|<\|eot_id\|>|<end_of_turn>|<\|end\|>|<\|endoftext\|>|<\|end_of_text\|>|</s>)\s*"
)
_BEGINS = re.compile(r"(?:<bos>|<s>|<\|begin_of_text\|>)?\s*")
_INST = re.compile(
    r"\[INST\]\s*(?:<<SYS>>(?P<system>.*?)<</SYS>>)?(?P<user>.*?)\[/INST\](?P<reply>.*?)(?=\[INST\]|\Z)", re.DOTALL
)
_MOST = 1_000_000


def read_transcript(text: str) -> tuple[Said, ...] | None:
    """The messages in a text with a mark before each of them, and both speakers; ``None`` for any other text."""
    if len(text) > _MOST or not (":" in text or "<" in text or "[INST]" in text):
        return None
    body = _BEGINS.sub("", text, count=1)
    if body.startswith("[INST]"):
        found = [
            one
            for match in _INST.finditer(body)
            for one in (("system", match["system"]), ("user", match["user"]), ("assistant", match["reply"]))
        ]
        return _messages([(role, _ENDS.sub("", said_ or "")) for role, said_ in found])
    pattern = _TOKEN if body.startswith("<") else _LINE
    marks = list(pattern.finditer(body))
    if not marks or body[: marks[0].start()].strip():
        return None
    pieces = []
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        piece = body[mark.end() : following.start() if following else len(body)]
        role = mark["role"] if pattern is _TOKEN else str(mark.lastgroup)
        pieces.append((role, _ENDS.sub("", piece) if pattern is _TOKEN else piece))
    return _messages(pieces)


def _messages(pieces: list[tuple[str, str]]) -> tuple[Said, ...] | None:
    roles: dict[str, Voice] = {"user": "user", "system": "system", "assistant": "assistant", "model": "assistant"}
    speakers = {roles[role] for role, _ in pieces}
    if not {"user", "assistant"} <= speakers:
        return None
    return tuple(said(roles[role], text.strip()) for role, text in pieces if text.strip())
