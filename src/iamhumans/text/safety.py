"""Foreign text on its way out: no control character in a terminal, no formula in a cell, no markup in a comment.

Every report passes foreign text (replies, quotes, notes, titles, file names) through one of these functions.
"""

import re

# C0 and C1 controls but newline and tab; bidirectional marks, overrides and isolates, which can make a line read
# backwards; zero-width and other invisible characters, which hide text (ZWJ and ZWNJ stay: emoji and Persian need
# them); line and paragraph separators; the tag block; lone surrogates.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
# What Markdown, HTML or GitHub would act on. The text may begin a line, or be inside a paragraph or a table cell.
_MARKUP = re.compile(
    r"""
    (?P<escaped>
        \\(?=[!-/:-@\[-`{-~]|\Z)                  # a backslash before punctuation
      | [`|]                                      # code, and the border of a table cell
      | \](?=[(\[:\]]|\Z)                         # the end of a link, a reference or a footnote
      | (?<=\w):(?=//) | (?<=\bmailto): | (?<=\bxmpp): | (?<=www)\.   # bare addresses
      | \A[-+](?=\s|\Z) | \A\#(?=\#{0,5}(?:\s|\Z)) | \A>              # lists, headings, quotes
      | \A[-=:](?=[-=:\ ]*\Z)                     # underlines of headings, rules, rows of a table
    )
  | \A(?P<number>\d{1,9})(?P<dot>[.)])(?=\s|\Z)   # numbered lists
  | (?P<run>\*+|_+|~+)                            # emphasis
  | (?P<broken>
        @(?=\w|\Z) | \#(?=\d) | (?<=\bgh)-(?=\d)  # mentions and issues
      | :(?=(?:[\w+-]*[a-z][\w+-]*|[+-]1|100|1234):)  # emoji such as :tada:
    )
  | (?P<html><(?=[a-z/!?]|\Z))
  | (?P<entity>&(?=\#?\w+;))
  | (?P<math>\$)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LONGEST_WORD = 24  # a longer one is cut inside
_FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def for_terminal(text: str) -> str:
    r"""The text with every character that could steer a terminal or hide words shown as ``\\xNN`` or ``\\uNNNN``."""
    return _HARMFUL.sub(_visible, text.replace("\r\n", "\n"))


def one_line(text: str, limit: int | None = None) -> str:
    """The text on one line, safe for a terminal, cut with an ellipsis at ``limit`` characters, after a word if near."""
    line = for_terminal(" ".join(text.split()))
    if limit is None or len(line) <= limit:
        return line
    room = max(limit - 1, 0)
    end = line.rfind(" ", max(room - _LONGEST_WORD, 0), room + 1)
    return line[: end if end > 0 else room].rstrip() + "…"


def for_markdown(text: str) -> str:
    """The text on one line, with only that escaped on which Markdown, HTML or GitHub would act."""
    line = one_line(text)
    formulas = line.count("$") > 1
    return _MARKUP.sub(lambda match: _as_text(match, formulas=formulas), line)


def for_csv(text: str) -> str:
    """The text as a cell that no spreadsheet reads as a formula."""
    clean = _HARMFUL.sub(_visible, text)
    # After a leading tab or line end, some programs look on for a formula.
    begins_blank = clean[:1] in ("\t", "\n")
    return f"'{clean}" if begins_blank or clean.lstrip().startswith(_FORMULA_STARTS) else clean


def _as_text(match: re.Match[str], *, formulas: bool) -> str:
    found, kind = match.group(), match.lastgroup
    if kind == "dot":
        return f"{match['number']}\\{match['dot']}"
    if kind == "run":
        return "".join(f"\\{mark}" for mark in found) if _may_be_emphasis(match) else found
    if kind == "broken":  # sites look for these after the Markdown is rendered, when a backslash is gone
        return f"{found}&#8203;"
    if kind in ("html", "entity"):
        return "&lt;" if kind == "html" else "&amp;"
    return found if kind == "math" and not formulas else f"\\{found}"


def _may_be_emphasis(match: re.Match[str]) -> bool:
    """Whether a run of marks could open or close emphasis: not between blanks, and ``_`` not inside a word."""
    before, after = match.string[: match.start()][-1:], match.string[match.end() :][:1]
    if match["run"][0] == "_" and before.isalnum() and after.isalnum():
        return False
    return not (before.isspace() and after.isspace())


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
