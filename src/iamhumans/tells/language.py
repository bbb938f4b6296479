"""Whether a text is English, judged by its letters and its most common words."""

import re
from functools import lru_cache

_LETTER = re.compile(r"[^\W\d_]")
_NOT_LATIN = re.compile("[^\u0000-\u024f\u1e00-\u1eff]")
_ENGLISH_TEXT = """
    the and to of you that it is for with was this what your i'm not are have but be it's you're don't i my they she
    he we so if or at by from there how that's about can would do just when like will more an as on in a
"""
_ENGLISH = frozenset(_ENGLISH_TEXT.split())
_OTHER_TEXT = """
    el la los las de que y en un una por con para es lo como pero su le ne pas et les des du dans est pour qui sur
    vous je tu une ce au avec mais ich du der die das und nicht ist ein eine zu mit auf dir mir wie sich auch es den
    o os as um uma não nao voce você mas com se eu e il che di non per sono è ma ti una mi het een niet van ik je
    dat zijn och att det som på är inte jag yang dan di itu ini tidak aku kamu ada saya untuk và là của không con có
    những cho bir ve bu ben için çok
"""
_OTHER = frozenset(_OTHER_TEXT.split()) - {"a", "in", "as", "on"}
_FEW_WORDS = 12
_PUNCTUATION = '.,!?;:()"“”…*'
_PLAINLY_ENGLISH, _LITTLE_ENGLISH, _HARDLY_ANY_ENGLISH = 0.25, 0.10, 0.03
_MOSTLY, _ACCENTED = 0.7, 0.06
_MARKED_UP = re.compile(r"(?m)^\s*(?:[-*•|#>]|\d+[.)])|```|[{};=<>]")


@lru_cache(maxsize=8)
def looks_english(text: str) -> bool:
    """Whether a text is mostly English. A text too short to say counts as English if its letters are Latin."""
    if not text.isascii() and _mostly_other_script(text):
        return False
    words = text.lower().replace("’", "'").split()
    if len(words) <= _FEW_WORDS or sum(map(_ENGLISH.__contains__, words)) / len(words) >= _PLAINLY_ENGLISH:
        return True
    return _second_look(text, [word.strip(_PUNCTUATION) for word in words])


def _mostly_other_script(text: str) -> bool:
    if len(text.encode("ascii", "ignore")) > _MOSTLY * len(text):
        return False
    letters = _LETTER.findall(text)
    return len([letter for letter in letters if _NOT_LATIN.match(letter)]) * 2 > len(letters)


def _second_look(text: str, words: list[str]) -> bool:
    english = sum(map(_ENGLISH.__contains__, words)) / len(words)
    if sum(map(_OTHER.__contains__, words)) / len(words) > english:
        return False
    if english >= _LITTLE_ENGLISH:
        return True
    letters = _LETTER.findall(text)
    if len([letter for letter in letters if not letter.isascii()]) > _ACCENTED * max(len(letters), 1):
        return False
    # Lists of words, names, formulas and code have few function words in any language.
    few_expected = text.count(",") * 4 > len(words) or _MARKED_UP.search(text) is not None
    return few_expected or english >= _HARDLY_ANY_ENGLISH
