"""The judges of a panel beside it, and which models are of one family."""

from __future__ import annotations

import pytest
from tests.decisions.made_up import FLAG, TIMEOUT, of_panel, vote

from iamhumans.decisions.families import family_of, kinships
from iamhumans.decisions.judges import PanelFigures, panel_figures
from iamhumans.decisions.panel import PanelReply, Vote
from iamhumans.reports.markdown import blocks_markdown
from iamhumans.reports.panel import panel_blocks, panel_document, panel_sentences
from iamhumans.reports.terminal import blocks_text


def figures(*rows: dict[str, Vote]) -> PanelFigures:
    found = panel_figures([of_panel(f"C{n}", {name: [one] for name, one in row.items()}) for n, row in enumerate(rows)])
    assert found is not None
    return found


def row(*votes: Vote) -> dict[str, Vote]:
    return dict(zip(("one", "two", "three"), votes, strict=False))


YES, NO = vote(9, FLAG), vote(9)
MOSTLY_ALIKE = [row(NO, NO, NO)] * 3 + [row(YES, YES, YES)] * 2 + [row(NO, NO, YES)]


def test_one_judge_is_no_panel() -> None:
    assert panel_figures([of_panel("C", {"one": [vote()]})]) is None


def test_each_judge_has_figures_beside_the_panel_and_one_is_furthest() -> None:
    found = figures(*MOSTLY_ALIKE)
    assert [judge.headline.zero_rate.value for judge in found.judges] == pytest.approx([2 / 6, 2 / 6, 3 / 6])
    assert found.panel.headline.zero_rate.value == pytest.approx(2 / 6)
    document = panel_document(figures(*MOSTLY_ALIKE * 3))
    assert document["judges"][2]["with_others"] == pytest.approx(5 / 6)
    assert document["agreement"]["value"] == pytest.approx((1 + 5 / 6 + 5 / 6) / 3)
    assert document["agreement"]["n_cases"] == 18
    assert (document["nearest"], document["furthest"]) == ("one", "three")


def test_agreement_is_withheld_where_a_judge_gives_nearly_always_the_same_verdict() -> None:
    found = figures(*[row(NO, NO)] * 30, *[row(YES, NO)] * 6, row(NO, YES))
    assert (found.agreement.value, found.ends) == (None, (None, None))
    assert "All but 1 of 37 answers" in " ".join(panel_sentences(found))


def test_of_two_judges_neither_is_furthest() -> None:
    assert figures(row(YES, NO), row(NO, NO)).ends[1] is None


@pytest.mark.parametrize(
    ("rows", "votes"),
    [
        ([*[row(NO, NO, NO)] * 3, *[row(YES, YES, YES)] * 3], 1),
        ([row(YES, YES), row(YES, NO), row(NO, YES), row(NO, NO)] * 2, 2),
    ],
)
def test_judges_amount_to_as_many_votes_as_they_are_independent(rows: list[dict[str, Vote]], votes: float) -> None:
    assert figures(*rows).independent_votes == pytest.approx(votes)


def test_judge_that_never_varies_leaves_it_unsaid() -> None:
    found = figures(*[row(NO, YES)] * 6)
    assert found.independent_votes is None
    assert any("is unknown" in sentence for sentence in panel_sentences(found))


def test_splits_are_listed_furthest_apart_first() -> None:
    found = figures(row(NO, NO), row(NO, vote(7)), row(NO, YES))
    assert found.split == 2
    assert [(split.case_id, dict(split.totals)) for split in found.splits] == [
        ("C2", {"one": 90, "two": 0}),
        ("C1", {"one": 90, "two": 70}),
    ]
    assert found.panel.headline.zero_rate.value == pytest.approx(1 / 3)


def test_judge_without_a_verdict_takes_no_part() -> None:
    replies = [of_panel(f"C{n}", {"one": [NO], "two": [TIMEOUT], "three": [NO]}) for n in range(5)]
    found = panel_figures(replies)
    assert found is not None
    assert [(judge.judged, judge.asked) for judge in found.judges] == [(5, 5), (0, 5), (5, 5)]
    assert found.judges[1].with_others is None


def hostile() -> PanelFigures:
    replies: list[PanelReply] = [of_panel("C|<b>\x1b[31m", {"j|@you": [NO], "k": [YES]})] * 6
    found = panel_figures(replies)
    assert found is not None
    return found


def test_foreign_names_cannot_act() -> None:
    assert "\x1b" not in blocks_text(panel_blocks(hostile()), width=80, color=False)
    markdown = blocks_markdown(panel_blocks(hostile()))
    assert "<b>" not in markdown
    assert "@you" not in markdown


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("openrouter/anthropic/claude-sonnet-4.5", "anthropic claude"),
        ("us.anthropic.claude-3-5-sonnet-20241022-v2:0", "anthropic claude"),
        ("openai/gpt-5.1", "openai gpt"),
        ("o3-mini", "openai gpt"),
        ("gpt-oss:120b", "openai gpt"),
        ("ollama/qwen3:8b", "alibaba qwen"),
        ("llama3.1:8b", "meta llama"),
        ("mistralai/mixtral-8x7b", "mistral"),
        ("phi3:mini", "microsoft phi"),
        ("openai/gpt-5.1+claude", "openai gpt"),
        ("deepseek-r1-distill-llama-70b", None),
        ("gpt4all-falcon", None),
        ("claudette", None),
        ("anthropic/my-model", None),
        ("solo1", None),
        ("tiny", None),
        ("", None),
    ],
)
def test_family_is_told_by_the_models_own_name_or_not_at_all(name: str, family: str | None) -> None:
    assert family_of(name) == family


def test_judge_and_subject_of_one_family_are_told_by_what_is_on_the_wire() -> None:
    plan = {
        "subjects": [{"name": "bot", "settings": {"model": "claude-haiku-4-5"}}],
        "judges": [
            {"name": "first", "settings": {"model": "anthropic/claude-opus-4"}},
            {"name": "second", "settings": {"model": "gpt-5.1"}},
            {"name": "rules", "settings": {"version": "claude"}},
        ],
    }
    (found,) = kinships(plan)
    assert (found.judge, found.subject, found.family) == ("first", "bot", "anthropic claude")
    assert "both belong to the family anthropic claude" in str(found)


def test_names_of_subjects_that_come_with_replies_are_looked_at() -> None:
    plan = {"judges": [{"name": "j", "settings": {"model": "gpt-5.1"}}]}
    assert [one.subject for one in kinships(plan, ["openai/gpt-4o+warm", "friend", ""])] == ["openai/gpt-4o+warm"]
