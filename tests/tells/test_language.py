from __future__ import annotations

import pytest

from iamhumans.tells import looks_english


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ok",
        "yeah. some days are like that, and nothing you did made it so. want company for a bit?",
        "1. Tin\n2. Brass\n3. Copper\n4. Lead\n5. Zinc\n6. Iron\n7. Gold\n8. Silver\n9. Nickel",
        "for x in rows: total += x; print(total); return {x: total}",
        "Café, naïve, fiancé: the words that you kept are the ones that he used.",
    ],
)
def test_english_and_what_cannot_be_told_is_taken_for_english(text: str) -> None:
    assert looks_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Hôm nay trời mưa suốt, tôi ngồi bên cửa sổ và không muốn nói chuyện với ai cả.",
        "Das ist schwer, und ich glaube nicht, dass du dafür etwas kannst. Willst du davon erzählen?",
        "No tienes que decidir nada esta noche. ¿Qué fue lo que más te dolió de la conversación con ella?",
        "Het is niet jouw schuld en je hoeft van mij niet alles in een keer te zeggen.",
        "Это трудно, и ты не обязан отвечать сегодня.",
        "今日はもう十分です。",
    ],
)
def test_other_languages_are_told_apart(text: str) -> None:
    assert not looks_english(text)
