"""Reasoning is taken off a text, and everything else stays as it is."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iamhumans.text import Seen, take_off_reasoning

REPLY = "Oh no, not the green one. Did it happen at work?"
DRAFT = "They lost a bike. I should be brief."

PAIRS = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<thoughts>", "</thoughts>"),
    ("<reasoning>", "</reasoning>"),
    ("<THINK>", "</Think>"),
    ("< think >", "</ think >"),
    ('<think duration="3 s">', "</think>"),
    ("<think\n>", "</think\n>"),
    ("<seed:think>", "</seed:think>"),
    ("<antThinking>", "</antThinking>"),
    ("<longcat_think>", "</longcat_think>"),
    ("<think_never_used_51bce0>", "</think_never_used_51bce0>"),
    ("[THINK]", "[/THINK]"),
    ("[think]", "[/think]"),
    ("[Reasoning]", "[/Reasoning]"),
    ("◁think▷", "◁/think▷"),
    ("<|think|>", "<|/think|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|thinking_start|>", "<|thinking_end|>"),
    ("<｜begin▁of▁thinking｜>", "<｜end▁of▁thinking｜>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<unused94>thought\n", "<unused95>"),
    ("<|channel>thought\n", "<channel|>"),
    ('<details type="reasoning" done="true">', "</details>"),
    (":::thinking\n", "\n:::\n"),
    ("<analysis>", "</analysis>"),
    ("<reason>", "</reason>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<inner_monologue>", "</inner_monologue>"),
]


@pytest.mark.parametrize(("opening", "closing"), PAIRS)
def test_a_marked_block_is_taken_off(opening: str, closing: str) -> None:
    assert take_off_reasoning(f"{opening}{DRAFT}{closing}\n\n{REPLY}") == Seen(REPLY, DRAFT)


@pytest.mark.parametrize(("opening", "closing"), [pair for pair in PAIRS if pair[1].lower().startswith(("</t", "[/t"))])
def test_a_closing_mark_without_an_opening_one_ends_reasoning(opening: str, closing: str) -> None:
    assert take_off_reasoning(f"{DRAFT}\n{closing}\n\n{REPLY}") == Seen(REPLY, DRAFT)


@pytest.mark.parametrize(
    "opening", ["<think>", "<thought>", "[THINK]", "◁think▷", "<|START_THINKING|>", "<seed:think>"]
)
def test_after_a_mark_that_never_closes_all_is_reasoning(opening: str) -> None:
    assert take_off_reasoning(f"{opening}\n{DRAFT}\n\n{REPLY}") == Seen("", f"{DRAFT}\n\n{REPLY}", open=True)
    assert take_off_reasoning(f"{REPLY}\n{opening}{DRAFT}") == Seen(REPLY, DRAFT, open=True)


@pytest.mark.parametrize(
    "text",
    [
        "Models write `<think>` before they answer.",
        "Close it with `</think>`, always.",
        "Like this:\n\n```xml\n<think>\nsome reasoning\n</think>\n```\n\nThat is all.",
        "Like this:\n\n~~~\n[THINK]\n~~~\n",
        "Like this:\n\n    <think>\n    draft\n    </think>\n\nThat is all.",
        "Use ``a ` <think>`` there.",
        "Use <code><think></code> there.",
        'He typed "<think>" and nothing happened.',
        "The mark “<think>” is common.",
        "The token `<|channel|>` names a channel.",
        "I read [think](https://example.org) and a [reasoning] part.",
        "The <analysis> of it.",
        "i <3 that, and 1 < 2 [ok]",
        "<details><summary>More</summary>It rained.</details>",
        "::: note\nrain\n:::",
        "",
    ],
)
def test_a_text_that_only_talks_about_marks_is_unchanged(text: str) -> None:
    assert take_off_reasoning(text) == Seen(text)


def test_several_blocks_are_taken_off() -> None:
    seen = take_off_reasoning("<think>one</think>Oh no.\n<think>two</think>\nWhich bike?")
    assert seen == Seen("Oh no.\n\nWhich bike?", "one\n\ntwo")


def test_nested_blocks_are_taken_off_as_one() -> None:
    assert take_off_reasoning("<think>a <think>b</think> c</think>Hi") == Seen("Hi", "a <think>b</think> c")
    assert take_off_reasoning("<reasoning>a<think>b</think>c</reasoning>Hi").text == "Hi"


def test_a_mark_that_reasoning_mentions_does_not_swallow_the_reply() -> None:
    assert take_off_reasoning(f"<think>no <think> tags in the reply</think>{REPLY}").text == REPLY
    assert take_off_reasoning(f"<think>the user asks about `</think>`</think>{REPLY}").text == REPLY
    assert take_off_reasoning(f"<think>\n```\nleft open\n</think>\n{REPLY}").text == REPLY


def test_marks_of_one_kind_close_those_of_another() -> None:
    assert take_off_reasoning(f"<think>{DRAFT}</thinking>{REPLY}") == Seen(REPLY, DRAFT)


def test_text_around_a_block_is_joined_as_a_reader_would_see_it() -> None:
    assert take_off_reasoning("Oh no <think>x</think> mate").text == "Oh no mate"
    assert take_off_reasoning("Oh no\n\n<think>x</think>\n\nWhich?").text == "Oh no\n\nWhich?"


def test_the_indentation_of_what_follows_stays() -> None:
    assert take_off_reasoning("<think>x</think>\n  a: 1\n  b: 2").text == "  a: 1\n  b: 2"


def test_an_empty_block_leaves_no_reasoning() -> None:
    assert take_off_reasoning("<think>\n\n</think>\n\nHi") == Seen("Hi")
    assert take_off_reasoning("<think/>Hi") == Seen("Hi")


@pytest.mark.parametrize(
    "text",
    [
        f"<think>{DRAFT}</think><answer>{REPLY}</answer>",
        f"<think>{DRAFT}</think>\n<response>\n{REPLY}\n</response>",
        f"<|begin_of_thought|>{DRAFT}<|end_of_thought|><|begin_of_solution|>{REPLY}<|end_of_solution|>",
        f"<|START_THINKING|>{DRAFT}<|END_THINKING|><|START_RESPONSE|>{REPLY}<|END_RESPONSE|>",
        f"Here is my thought process: {DRAFT}\n\nHere is my response: {REPLY}",
        f"Thinking...\n{DRAFT}\n...done thinking.\n\n{REPLY}",
    ],
)
def test_a_wrapper_around_the_reply_goes_with_the_reasoning(text: str) -> None:
    assert take_off_reasoning(text) == Seen(REPLY, DRAFT)


@pytest.mark.parametrize(
    "text",
    [
        f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>{REPLY}<|return|>",
        f"<|start|>assistant<|channel|>analysis<|message|>{DRAFT}<|end|>"
        f"<|start|>assistant<|channel|>final<|message|>{REPLY}<|end|>",
        f"<|CHANNEL|>Analysis<|MESSAGE|>{DRAFT}<|END|><|START|>assistant<|CHANNEL|>Final<|MESSAGE|>{REPLY}",
        f"{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>{REPLY}<|return|>",
        f"<|channel|>analysis {DRAFT} <|channel|>final {REPLY}",
        f"analysis{DRAFT}assistantfinal{REPLY}",
        f"<|channel|>commentary<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>{REPLY}",
    ],
)
def test_the_final_channel_is_what_a_user_sees(text: str) -> None:
    assert take_off_reasoning(text) == Seen(REPLY, DRAFT)


def test_a_call_of_a_tool_in_a_channel_is_no_reply() -> None:
    call = '<|start|>assistant<|channel|>commentary to=functions.find <|constrain|>json<|message|>{"q": 1}<|call|>'
    assert take_off_reasoning(call) == Seen("", '{"q": 1}')


def test_commentary_for_the_user_is_seen_where_no_final_message_follows() -> None:
    text = (
        f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>commentary<|message|>{REPLY}<|end|>"
    )
    assert take_off_reasoning(text) == Seen(REPLY, DRAFT)


def test_an_analysis_channel_that_never_ends_is_open() -> None:
    assert take_off_reasoning(f"<|channel|>analysis<|message|>{DRAFT}") == Seen("", DRAFT, open=True)


def test_a_final_message_may_talk_about_channels_and_hold_marks() -> None:
    text = "<|channel|>final<|message|><think>x</think>It is called `<|channel|>`."
    assert take_off_reasoning(text) == Seen("It is called `<|channel|>`.", "x")


_MARKS = (
    "<think> </think> [THINK] [/THINK] ` `` <code> </code> <|channel|> <|message|> <|end|> <|start|> analysis final"
)
_ODD = ("```\n", "~~~\n", "\n", "\n\n    ", " b ", ":::thinking\n", ":::\n", "<details type=reasoning>", "</details>")
_PIECES = st.sampled_from([*_MARKS.split(), *_ODD, "a", '"', "<|", "|>", "<answer>", "assistantfinal", "<think/>"])


@given(st.lists(_PIECES, max_size=30).map("".join))
def test_every_text_gives_a_seen_text(text: str) -> None:
    seen = take_off_reasoning(text)
    assert seen.text == text or len(seen.text) + len(seen.reasoning) <= len(text) + text.count("<")


@given(st.text(alphabet=st.characters(exclude_characters="<[◁:"), max_size=80))
def test_a_text_without_marks_is_unchanged(text: str) -> None:
    if not text.strip().lower().startswith(("analysis", "assistantanalysis", "here", "thinking")):
        assert take_off_reasoning(text) == Seen(text)


@given(st.text(alphabet="abc .,\n", min_size=1), st.text(alphabet="abc .,\n", min_size=1))
def test_reply_and_reasoning_come_apart(reasoning: str, reply: str) -> None:
    seen = take_off_reasoning(f"<think>{reasoning}</think>{reply}")
    assert (seen.text.strip(), seen.reasoning) == (reply.strip(), reasoning.strip())


@pytest.mark.parametrize(
    "unit",
    [
        "<think> <think> </think>",
        "` `` ",
        "```a\n",
        "<code>",
        "<think>",
        "</think>",
        "<|channel|>final ",
        "< ",
        "<think ",
    ],
)
def test_time_is_linear_in_the_length(unit: str) -> None:
    started = time.process_time()
    take_off_reasoning(unit * (100_000 // len(unit)))
    assert time.process_time() - started < 2
