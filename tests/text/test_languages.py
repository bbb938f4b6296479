"""Which language a text is in."""

from __future__ import annotations

import pytest

from iamhumans.text.languages import KNOWN_LANGUAGES, is_in_language, is_known_language

TEXTS = {
    "en": "I am so sorry to hear about your dog. How long was she with you?",
    "es": "Lo siento mucho, de verdad que no sé qué decir en este momento.",
    "fr": "Je suis désolé pour ton chien, c'est dur de le perdre comme ça.",
    "de": "Es tut mir leid, das ist schwer für dich, und ich weiß nicht, was ich sagen soll.",
    "pt": "Sinto muito, isso é muito difícil para você e não sei o que dizer.",
    "it": "Mi dispiace tanto, è davvero difficile e non so che cosa dire.",
    "nl": "Wat erg voor je, ik weet niet wat ik moet zeggen maar ik ben er.",
    "sv": "Jag är så ledsen, det är svårt och jag vet inte vad jag ska säga.",
    "pl": "Tak mi przykro, nie wiem, co powiedzieć, ale jestem tu dla ciebie.",
    "tr": "Çok üzgünüm, bu senin için çok zor ve ne diyeceğimi bilmiyorum.",
    "id": "Saya ikut sedih, ini tidak mudah untuk kamu dan saya ada di sini.",
    "vi": "Tôi rất tiếc khi nghe chuyện của bạn, và tôi không biết nói gì.",
    "ru": "Мне очень жаль, я не знаю, что сказать.",
    "zh": "对不起，我很难过，不知道该说什么。",
    "ja": "それはつらいですね。何と言えばいいか分かりません。",
    "ko": "정말 힘들었겠어요.",
    "ar": "أنا آسف جدا لما حدث.",
    "he": "אני כל כך מצטער.",
    "el": "Λυπάμαι πολύ.",
    "hi": "मुझे बहुत दुख है।",
    "th": "เสียใจด้วยนะ",
}


@pytest.mark.parametrize(("language", "text"), TEXTS.items())
def test_a_text_is_in_its_language_and_in_no_other_that_can_be_told_apart(language: str, text: str) -> None:
    alike = {"ru": {"ru", "uk", "bg"}}.get(language, {language})
    assert {name for name in KNOWN_LANGUAGES if is_in_language(text, name)} == alike


@pytest.mark.parametrize("text", ["", "Hi.", "?!", "ok ok", "42"])
def test_a_few_words_do_not_tell(text: str) -> None:
    assert is_in_language(text, "en") is None


def test_another_script_tells_at_once() -> None:
    assert is_in_language("Да.", "en") is False


def test_only_the_first_part_of_a_tag_counts() -> None:
    assert is_known_language("pt-BR")
    assert not is_known_language("tlh")
    with pytest.raises(ValueError, match="tlh"):
        is_in_language("nuqneH", "tlh")
