"""Whether a text is in a language, by its script and its most common words. It is light and looks at whole texts only.

Latin languages are told apart by their function words, so a text of a few words says nothing, and near relatives
(Danish and Norwegian, Malay and Indonesian) are not distinguished. Others are known by their script alone: Russian,
Ukrainian and Bulgarian look the same here. A text that mixes languages counts as the one with the most words.
"""

import re
from collections.abc import Mapping

_COMMON = {
    "en": "the and of you that it is for with was this what your are not have but be they she he we if or from there"
    " how about can would do just when like will more an i'm don't it's my me at by so been had were which"
    " their to",
    "es": "el los las de que y en un una por con para es lo como pero su le más muy está esto eso te mi me sí ya"
    " cuando porque hay qué tu estás también del al se no o nada todo bien",
    "fr": "le les des du et est dans pour qui sur vous je tu il une ce pas ne avec mais au plus ça c'est j'ai que"
    " tout elle nous comme quand si mon ta votre sont suis être de la à en bien très on",
    "de": "der die das und nicht ist ein eine zu mit auf ich du dir mir wie sich auch es den dem von im für aber"
    " wenn hast kann noch nur was dass war bin sind so schon mal ja wir sie er",
    "pt": "o os as um uma não você com se eu mais para por do da no na que em mas como está isso te meu seu quando"
    " muito foi são tem já bem também só ele ela dos ao é e de",
    "it": "il lo gli e che di non per sono è ma ti una mi come con del della al anche questo più hai ho quando"
    " perché se cosa bene molto tutto ci si nel da così sei ha un io la",
    "nl": "het een en niet van ik je dat zijn is met op voor te maar ook er aan wat als bij nog wel heb hebt was"
    " deze naar om dan zo kan mijn jij we ze hij de in",
    "sv": "och att det som på är inte jag en ett av för med du har den till om men så kan man när var från eller mig"
    " dig vad hur ska bara också han hon vi de",
    "pl": "i w nie na się że to jest z do jak co ale za tak o po czy już tylko dla od mnie ci jestem był może przez"
    " ten te bardzo kiedy jeszcze mi są",
    "tr": "bir ve bu ben için çok ne de da mi sen ama gibi daha var o kadar şey değil mı nasıl olarak sonra en bana"
    " sana her ile ya diye",
    "id": "yang dan di itu ini tidak aku kamu ada saya untuk dengan dari ke akan bisa juga sudah kalau karena apa"
    " atau tapi lebih pada dia lagi sangat seperti",
    "vi": "là và của không có những cho một được bạn tôi mình này với như đã thì khi người nhưng cũng để rất đang gì"
    " ở trong mà em anh",
}
_WORDS = {language: frozenset(words.split()) for language, words in _COMMON.items()}
_CYRILLIC, _HAN, _KANA = r"\u0400-\u052f", r"\u3400-\u4dbf\u4e00-\u9fff", r"\u3040-\u30ff"
_SCRIPTS: Mapping[str, str] = {
    **dict.fromkeys(("ru", "uk", "bg"), _CYRILLIC),
    "zh": _HAN,
    "ja": _KANA + _HAN,
    "ko": r"\uac00-\ud7af\u1100-\u11ff",
    "el": r"\u0370-\u03ff",
    "ar": r"\u0600-\u06ff\u0750-\u077f",
    "he": r"\u0590-\u05ff",
    "hi": r"\u0900-\u097f",
    "th": r"\u0e00-\u0e7f",
}
_LATIN = r"A-Za-z\u00c0-\u024f\u1e00-\u1eff"
KNOWN_LANGUAGES = tuple(sorted((*_WORDS, *_SCRIPTS)))
"""The languages that :func:`is_in_language` can tell."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_FEWEST_WORDS = 5


def is_known_language(tag: str) -> bool:
    """Whether the language of a tag such as ``en`` or ``pt-BR`` is one that can be told."""
    return _base(tag) in KNOWN_LANGUAGES


def is_in_language(text: str, tag: str) -> bool | None:
    """Whether most of a text is in a language; ``None`` where it has too few words to tell.

    Args:
        text: The text.
        tag: A tag such as ``en`` or ``pt-BR``; only its first part counts.

    Raises:
        ValueError: The language is not known.
    """
    language = _base(tag)
    if language not in KNOWN_LANGUAGES:
        raise ValueError(f"The language {tag!r} is not known.")
    letters = [letter for letter in text if letter.isalpha()]
    if not letters:
        return None
    if 2 * _count(letters, _SCRIPTS.get(language, _LATIN)) < len(letters):
        return False
    if language == "ja":
        return _count(letters, _KANA) > 0 or None  # Han alone may be either.
    if language == "zh":
        return 10 * _count(letters, _KANA) < len(letters)
    if language in _SCRIPTS:
        return True
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    found = {name: sum(map(common.__contains__, words)) for name, common in _WORDS.items()}
    most = max(found.values())
    if len(words) < _FEWEST_WORDS or not most:
        return None
    return found[language] == most


def _base(tag: str) -> str:
    return tag.partition("-")[0].lower()


def _count(letters: list[str], script: str) -> int:
    belongs = re.compile(f"[{script}]").match
    return sum(1 for letter in letters if belongs(letter))
