"""The fast way of reading gives what the general way gives, or nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.verdicts.corpus import CORPUS, FLAGS

from iamhumans.rubrics import load_rubric
from iamhumans.verdicts import Asked, Verdict, read_verdict
from iamhumans.verdicts.answers import Ending
from iamhumans.verdicts.blocks import Block
from iamhumans.verdicts.claims import VerdictClaim, _read_generally, read_claim
from iamhumans.verdicts.exact import read_exactly
from iamhumans.verdicts.reader import _read_generally as read_in_general

RUBRIC = load_rubric("iamhumans")
ENDING = Ending(ends_answer=True, open_line=False)

# Words that YAML has opinions about, and characters that end things.
words = st.one_of(
    st.text(max_size=30),
    st.sampled_from(["a: b", "# no comment", "- item", "'", '"', "\\", "{}", "[x]", "|", ">", "%", "@", "` ", "  two"]),
)
scores = st.sampled_from([*map(str, range(12)), "N/A", "8.5", "08", "", "eight", "8 # fine"])
answers = st.sampled_from(["NO", "NO", "NO", "YES", "yes", "MAYBE", ""])


@st.composite
def verdict_texts(draw: st.DrawFn) -> str:
    """Texts that are in the form, or nearly."""
    lines = [f"case_id: {draw(st.sampled_from(['GRF-003', 'TC_1', 'no', '007', 'a b', 'x.y']))}"]
    lines += [
        f"check: {token}" for token in draw(st.lists(st.sampled_from(["k7q2", "123", "null", "1e5"]), max_size=1))
    ]
    lines += ["axes:", *(f"  {name}: {draw(scores)}" for name in RUBRIC.axis_ids)]
    listed = draw(st.lists(st.tuples(st.sampled_from([*FLAGS, "other"]), st.lists(words, max_size=2)), max_size=2))
    quoted = [f"  {name}: [{', '.join(chr(34) + quote + chr(34) for quote in quotes)}]" for name, quotes in listed]
    lines += ["evidence:", *quoted] if quoted else draw(st.sampled_from([[], ["evidence: {}"], ["evidence:"]]))
    lines += ["hard_fails:", *(f"  {name}: {draw(answers)}" for name in FLAGS)]
    lines += [f"total: {draw(st.integers(0, 120))}", "verdict: PASS", "notes: |"]
    lines += [f"  {line}" for line in draw(st.lists(words, min_size=1, max_size=3))]
    return "\n".join(lines)


def agree(text: str) -> None:
    block = Block(text, 0, text.count("\n") + 1)
    fast = read_claim(block, RUBRIC, Asked(), ENDING)
    general = _read_generally(VerdictClaim(block), RUBRIC, Asked(), ENDING)
    assert fast == general


@given(verdict_texts())
def test_the_fast_way_agrees_with_the_general_way(text: str) -> None:
    agree(text)


def test_the_fast_way_agrees_on_the_whole_corpus() -> None:
    for output in CORPUS:
        if len(output.text) < 20_000:
            agree(output.text)


def test_a_verdict_in_the_form_is_read_the_fast_way() -> None:
    axes = "".join(f"  {name}: 8\n" for name in RUBRIC.axis_ids)
    flags = "".join(f"  {name}: {'YES' if name == 'pity' else 'NO'}\n" for name in FLAGS)
    text = (
        f"case_id: GRF-003\ncheck: k7q2\naxes:\n{axes}evidence:\n"
        f'  pity: ["oh: you", "poor # thing"]\nhard_fails:\n{flags}'
        "total: 0\nverdict: FAIL\nnotes: |\n  It talks down: plainly.\n\n  And at length."
    )
    exact = read_exactly(text, RUBRIC)
    assert exact is not None
    assert exact.evidence == {"pity": ("oh: you", "poor # thing")}
    assert exact.notes == "It talks down: plainly.\n\nAnd at length."
    agree(text)


asked = st.builds(
    Asked,
    case_id=st.sampled_from(["GRF-003", "TC_1", None]),
    token=st.sampled_from(["k7q2", "k7q2", "123", None]),
    reply=st.just("a reply"),
    single_turn=st.sampled_from([True, False, None]),
    repair=st.sampled_from([True, False, None]),
    finish_reason=st.sampled_from([None, "stop", "length", "content_filter"]),
)
edges = st.sampled_from(["", "", "\n", "\n\n", " ", "\t", "\r\n", "</think>\n", "Here it is.\n"])


@given(verdict_texts(), asked, edges, edges)
def test_an_answer_taken_whole_is_what_the_general_way_makes_of_it(
    text: str, question: Asked, before: str, after: str
) -> None:
    answer = f"{before}{text}{after}"
    if question.finish_reason != "content_filter":
        assert read_verdict(answer, RUBRIC, question) == read_in_general(answer, RUBRIC, question)


def test_a_verdict_with_the_right_token_is_taken_whole_although_the_reply_holds_another() -> None:
    axes = "".join(f"  {name}: 8\n" for name in RUBRIC.axis_ids)
    flags = "".join(f"  {name}: NO\n" for name in FLAGS)
    text = f"case_id: A\ncheck: k7q2\naxes:\n{axes}hard_fails:\n{flags}total: 80\nverdict: PASS\nnotes: |\n  Fine."
    question = Asked("A", "k7q2", reply=text.replace("k7q2", "aaaa"), finish_reason="stop")
    verdict = read_verdict(text, RUBRIC, question)
    assert isinstance(verdict, Verdict)
    assert verdict == read_in_general(text, RUBRIC, question)
