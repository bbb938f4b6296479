"""Foreign text on its way out: no control character reaches a terminal, no formula a cell, no markup a comment.

Every report passes foreign text (replies, quotes, notes, titles, file names) through one of these functions.
"""

from __future__ import annotations

import re

# C0 and C1 controls but newline and tab; the bidirectional marks, overrides and isolates that can make a line read
# backwards; zero-width and other invisible format characters that hide text (ZWJ and ZWNJ stay: emoji and Persian need
# them); line and paragraph separators; the tag block; lone surrogates.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]()+\-.!|~:&$=^#])")
# What a site makes links of after the Markdown is rendered, where a backslash is gone: @somebody, #12. An invisible
# character between the mark and the name prevents it.
_LINKING = re.compile(r"@|\\#(?=\w)|(?<=gh)\\-(?=\d)", re.IGNORECASE)
_FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def for_terminal(text: str) -> str:
    r"""The text with every character that could steer a terminal or hide words shown as ``\\xNN`` or ``\\uNNNN``."""
    return _HARMFUL.sub(_visible, text.replace("\r\n", "\n"))


def one_line(text: str, limit: int | None = None) -> str:
    """The text on one line, safe for a terminal, cut with an ellipsis at ``limit`` characters."""
    line = for_terminal(" ".join(text.split()))
    if limit is not None and len(line) > limit:
        return line[: max(limit - 1, 0)].rstrip() + "…"
    return line


def for_markdown(text: str) -> str:
    """The text on one line, with all that Markdown, HTML or a mention would act on escaped."""
    escaped = _MARKDOWN_SPECIAL.sub(r"\\\1", one_line(text)).replace("<", "&lt;").replace(">", "&gt;")
    return _LINKING.sub(r"\g<0>&#8203;", escaped)


def for_csv(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula."""
    clean = _HARMFUL.sub(_visible, text)
    # A leading tab or line end alone makes some programs read on for a formula.
    begins_blank = clean[:1] in ("\t", "\n")
    return f"'{clean}" if begins_blank or clean.lstrip().startswith(_FORMULA_STARTS) else clean


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
