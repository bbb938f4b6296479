"""``iamhumans run`` from the outside, with a real server that is subject and judge."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.judging_server import (
    KEY,
    Bench,
    Printed,
    Question,
    Roles,
    judge_requests,
    judges_after_a_re_ask,
    judges_well,
    makes_up_a_token,
    never_judges,
    question_in,
    refuses_to_judge,
    replies,
    subject_requests,
)
from tests.servers import Behaviour, ChatServer, Received, echo_headers, refuse, say
from tests.verdicts.corpus import CORPUS

BOTH = ("run", "suite", "--subject", "loop", "--judge", "loop")
RULES = ("run", "suite", "--subject", "loop")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Three cases and no config."""
    bench = Bench(tmp_path)
    bench.suite(3)
    return bench


@pytest.fixture
def server(bench: Bench) -> Iterator[ChatServer]:
    """A server that behaves, and the config that names it."""
    with ChatServer(Roles()) as server:
        bench.models(server.openai_url)
        yield server


def printed_with(bench: Bench, script: Callable[[Received], Behaviour], *arguments: str) -> tuple[Printed, ChatServer]:
    with ChatServer(script) as server:
        bench.models(server.openai_url)
        return bench.run(*arguments), server


def reasons(printed: Printed) -> list[str | None]:
    return [line["reason"] for line in printed.judgements]


# what comes out


def test_a_run_draws_replies_judges_them_and_prints_the_report(bench: Bench, server: ChatServer) -> None:
    printed = bench.run(*BOTH)
    assert (printed.code, printed.err) == (0, "")
    assert "suite answered by loop, run " in printed.out
    assert printed.out.count("3 of 3") == 2
    assert (len(subject_requests(server)), len(judge_requests(server))) == (3, 3)


def test_json_holds_every_judgement_in_the_order_of_cases_replies_judges_and_repeats(
    bench: Bench, server: ChatServer
) -> None:
    bench.models(server.openai_url, "temperature = 1", name="other")
    options = ("--judge", "other", "--replies", "2", "--repeats", "3", "--json")
    rows = bench.run(*BOTH, *options).judgements
    found = [(row["row"], row["case_id"], row["number"], row["judge"], row["repeat"]) for row in rows]
    assert found == [
        (2 * index + number, f"C-00{index + 1}", number, judge, repeat)
        for index in range(3)
        for number in (1, 2)
        for judge in ("loop", "other")
        for repeat in (1, 2, 3)
    ]


def test_the_rules_judge_unless_another_is_named(bench: Bench, server: ChatServer) -> None:
    rows = bench.run(*RULES, "--json").judgements
    assert {row["judge"] for row in rows} == {"rules"}
    assert judge_requests(server) == []


def test_the_judge_sees_the_reply_and_the_persona_and_never_the_notes(bench: Bench, server: ChatServer) -> None:
    bench.case("C-001", "the bakery closed", notes="Only for the author: the marzipan clause.")
    persona = bench.write("persona.md", "Ada, a baker for thirty years.\n")
    bench.run(*BOTH, "--persona", persona)
    asked = [message["content"] for received in judge_requests(server) for message in received.messages]
    said = replies(subject_requests(server)[0])
    assert sum(f"> {said}" in text for text in asked) == 1
    assert sum("> Ada, a baker for thirty years." in text for text in asked) == 3
    assert "marzipan" not in json.dumps([received.messages for received in server.requests])


def test_a_file_called_skill_is_named_after_its_folder(bench: Bench, server: ChatServer) -> None:
    bench.write("skills/warm/SKILL.md", "Be warm.")
    rows = bench.run(*RULES, "--skill", "skills/warm/SKILL.md", "--json").judgements
    assert {row["subject"] for row in rows} == {"loop+warm"}


def test_an_empty_skill_is_refused(bench: Bench, server: ChatServer) -> None:
    skill = bench.write("SKILL.md", "---\nname: nothing\n---\n")
    printed = bench.run(*RULES, "--skill", skill)
    assert printed.code == 2
    assert "SKILL.md: The skill is empty." in printed.err
    assert server.count == 0


def test_live_turns_are_asked_in_order_and_the_judge_sees_how_it_went(bench: Bench, server: ChatServer) -> None:
    bench.case("L-001", "my bakery closed", "", "the one with the rolls", "", "and now?", suite="live")
    printed = bench.run("run", "live", "--subject", "loop", "--judge", "loop", "--json")
    asked = subject_requests(server)
    assert [len(received.messages) for received in asked] == [1, 3, 5]
    first, second = replies(asked[0]), replies(asked[1])
    assert [message["content"] for message in asked[2].messages] == [
        "my bakery closed",
        first,
        "the one with the rolls",
        second,
        "and now?",
    ]
    seen = judge_requests(server)[0].messages[-1]["content"]
    assert re.findall(r"^> (.*)$", seen, re.MULTILINE)[1:6] == [message["content"] for message in asked[2].messages], (
        seen
    )
    assert printed.judgements[0]["status"] == "judged"


def test_a_case_that_cannot_be_read_ends_with_2_and_costs_the_others_nothing(bench: Bench, server: ChatServer) -> None:
    bench.write("suite/cases/broken.md", "no front matter\n")
    printed = bench.run(*BOTH, "--json")
    assert printed.code == 2
    assert "broken.md:1: error:" in printed.err
    assert len(printed.judgements) == 3


# recorded replies as the subject


def test_recorded_replies_are_judged_by_case_and_number(bench: Bench) -> None:
    lines = [{"case_id": f"C-00{index}", "reply": f"Oh no, number {index}."} for index in (1, 3)]
    bench.write("replies.jsonl", "\n".join(map(json.dumps, lines)))
    printed = bench.run("run", "suite", "--subject", "recorded/replies.jsonl", "--json")
    assert printed.code == 0
    found = [(row["case_id"], row["subject"], row["status"], row["reason"]) for row in printed.judgements]
    assert found == [
        ("C-001", "recorded/replies.jsonl", "judged", None),
        ("C-002", "recorded/replies.jsonl", "unjudged", "no_reply"),
        ("C-003", "recorded/replies.jsonl", "judged", None),
    ]


def test_two_recorded_replies_of_one_number_are_refused(bench: Bench) -> None:
    bench.write("replies.jsonl", (json.dumps({"case_id": "C-001", "reply": "Oh no."}) + "\n") * 2)
    printed = bench.run("run", "suite", "--subject", "recorded/replies.jsonl")
    assert printed.code == 2
    assert "Several replies to case C-001 have the number 1" in printed.err


# once, and not again


def test_notes_titles_of_others_and_the_order_of_files_cost_nothing(bench: Bench, server: ChatServer) -> None:
    bench.run(*BOTH)
    count = server.count
    bench.case("C-002", "the bakery on corner 2 closed today", notes="For whoever edits this.")
    (bench.folder / "suite/cases/C-001.md").rename(bench.folder / "suite/cases/z.md")
    assert bench.run(*BOTH).code == 0
    assert server.count == count
    bench.case("C-003", "the bakery on corner 3 closed today", title="Another")
    assert bench.run(*BOTH).code == 0
    assert server.count == count + 1


def test_fresh_asks_everything_again_in_a_run_of_its_own(bench: Bench, server: ChatServer) -> None:
    first = bench.run(*BOTH, "--json").document
    count = server.count
    second = bench.run(*BOTH, "--fresh", "--json").document
    assert server.count == 2 * count
    assert first["run"] != second["run"]
    assert first["judgements"] == second["judgements"]


def test_after_a_fresh_run_the_same_command_prints_the_fresh_one(bench: Bench, server: ChatServer) -> None:
    bench.run(*BOTH)
    fresh = bench.run(*BOTH, "--fresh", "--json")
    count = server.count
    assert bench.run(*BOTH, "--json").out == fresh.out
    assert server.count == count


# beforehand


def test_a_dry_run_says_what_it_would_come_to_and_sends_nothing(bench: Bench, server: ChatServer) -> None:
    line = (*BOTH, "--judge", "rules", "--replies", "2", "--repeats", "2", "--dry-run")
    outlook = bench.run(*line, "--json").document
    assert server.count == 0
    assert (outlook["jobs"], outlook["in_journal"], outlook["calls"]) == (6 + 24, 0, 6 + 12)
    assert outlook["cost"] is None
    printed = bench.run(*line).out
    assert "at least 18 calls" in printed
    assert "cost unknown" in printed
    assert printed.endswith("nothing was sent\n")


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(
            ("run", "suite", "--subject", "openai/gpt-5.1", "--judge", "anthropic/claude-sonnet-4-5"), id="run"
        ),
        pytest.param(("reply", "suite", "--subject", "openai/gpt-5.1"), id="reply"),
        pytest.param(("judge", "replies.jsonl", "--suite", "suite", "--judge", "openai/gpt-5.1"), id="judge"),
    ],
)
def test_a_dry_run_needs_no_key(bench: Bench, line: tuple[str, ...]) -> None:
    (bench.folder / "replies.jsonl").write_text('{"case_id": "C-001", "reply": "Oh no."}\n', encoding="utf-8")
    printed = bench.run(*line, "--dry-run")
    assert (printed.code, printed.err) == (0, "")
    assert printed.out.endswith("nothing was sent\n")
    assert bench.run(*line).code == 4


def test_a_dry_run_of_a_fresh_run_counts_everything(bench: Bench, server: ChatServer) -> None:
    bench.run(*BOTH)
    outlook = bench.run(*BOTH, "--fresh", "--dry-run", "--json").document
    assert (outlook["in_journal"], outlook["calls"]) == (0, 6)


def test_a_dry_run_with_prices_says_the_cost(bench: Bench) -> None:
    with ChatServer(Roles()) as server:
        bench.models(server.openai_url, "prices = { prompt = 1.0, completion = 2.0 }")
        outlook = bench.run(*BOTH, "--dry-run", "--json").document
    expected = (outlook["prompt_tokens"] + 2 * outlook["completion_tokens"]) / 1e6
    assert outlook["cost"] == pytest.approx(expected)


# budgets


def test_max_tokens_stops_cleanly_and_the_same_command_goes_on(bench: Bench, server: ChatServer) -> None:
    stopped = bench.run(*BOTH, "--max-tokens", "2000", "--max-connections", "1", "--json")
    assert stopped.code == 4
    assert "error: the budget of 2,000 tokens is spent. Run the same command again" in stopped.err
    assert len(stopped.judgements) == 3
    assert "budget" in reasons(stopped)
    count = server.count
    assert 0 < count < 6
    done = bench.run(*BOTH, "--json")
    assert (done.code, server.count, reasons(done)) == (0, 6, [None] * 3)
    assert done.document["run"] == stopped.document["run"]


def test_max_cost_with_an_unknown_price_is_refused_and_leaves_no_run(bench: Bench, server: ChatServer) -> None:
    printed = bench.run(*BOTH, "--max-cost", "5")
    assert printed.code == 2
    assert "The prices of `loop` are not known" in printed.err
    assert server.count == 0
    assert bench.run("runs", "list", "--json").document == {"runs": []}


def test_max_minutes_stops_cleanly_and_the_same_command_goes_on(bench: Bench) -> None:
    with ChatServer(Roles(delay=0.2)) as server:
        bench.models(server.openai_url)
        stopped = bench.run(*BOTH, "--max-minutes", "0.005", "--max-connections", "1", "--json")
        assert stopped.code == 4
        assert "minutes is spent" in stopped.err
        assert reasons(stopped)[-1] == "budget"
        assert server.count < 6
        done = bench.run(*BOTH, "--json")
        assert (done.code, server.count) == (0, 6)


# what cannot run


def test_without_a_key_nothing_begins_and_the_variable_is_named(bench: Bench) -> None:
    printed = bench.run("run", "suite", "--subject", "openai/gpt-test")
    assert printed.code == 4
    assert "OPENAI_API_KEY is not set" in printed.err
    assert not bench.db.exists()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("opneai/gpt-test", "Did you mean `openai/gpt-test`"),
        ("nobody", "There is no model `nobody`"),
        ("rules", "does not name a model"),
    ],
)
def test_a_subject_that_is_none_ends_with_2(bench: Bench, name: str, said: str) -> None:
    printed = bench.run("run", "suite", "--subject", name)
    assert printed.code == 2
    assert said in printed.err


def test_a_server_that_is_down_ends_with_4_and_says_so(bench: Bench) -> None:
    with ChatServer() as gone:
        bench.models(gone.openai_url)
    printed = bench.run(*BOTH, "--json")
    assert printed.code == 4
    assert "Nothing was judged." in printed.err
    assert "nothing answers there" in printed.err
    assert reasons(printed) == ["provider_error"] * 3


@pytest.mark.parametrize(
    ("status", "message", "said"),
    [(401, "bad key", "answered 401"), (404, "no such model", "Is there a model `tiny`")],
)
def test_what_every_call_would_end_in_is_asked_once_or_as_often_as_at_once(
    bench: Bench, status: int, message: str, said: str
) -> None:
    printed, server = printed_with(bench, lambda _: refuse(status, message), *BOTH, "--max-connections", "1", "--json")
    assert printed.code == 4
    assert said in printed.err
    assert server.count == 1
    assert reasons(printed) == ["provider_error"] * 3


def test_replies_that_could_not_be_had_are_sought_again_and_judged_then(bench: Bench) -> None:
    down = [True]
    roles = Roles()

    def subject(received: Received) -> Behaviour:
        if down[0] and "corner 2" in json.dumps(received.body):
            return refuse(400, "not this one")
        return roles(received)

    with ChatServer(subject) as server:
        bench.models(server.openai_url)
        before = bench.run(*BOTH, "--json")
        assert (before.code, reasons(before)) == (0, [None, "provider_error", None])
        assert before.judgements[1]["detail"].startswith("there is no reply to judge: ")
        assert before.document["summary"]["judged_rate"] == pytest.approx(2 / 3)
        down[0] = False
        count = server.count
        after = bench.run(*BOTH, "--json")
        assert (after.code, reasons(after)) == (0, [None] * 3)
        assert server.count == count + 2


@pytest.mark.parametrize(
    ("behaviour", "reason", "said"),
    [
        (say(" \n"), "no_reply", "there is no text"),
        (say("Oh, that", finish_reason="length"), "truncated", "the reply was cut off"),
    ],
)
def test_a_subject_that_says_nothing_or_too_much_was_heard_and_the_run_is_done(
    bench: Bench, behaviour: Behaviour, reason: str, said: str
) -> None:
    with ChatServer(Roles(subject=lambda _: behaviour)) as server:
        bench.models(server.openai_url)
        printed = bench.run(*BOTH, "--json")
        assert (printed.code, reasons(printed)) == (4, [reason] * 3)
        assert said in printed.judgements[0]["detail"]
        assert bench.run("runs", "list", "--json").document["runs"][0]["status"] == "finished"
        bench.run(*BOTH)
        assert server.count == 3


# judges that misbehave


def test_malformed_verdicts_are_asked_again_once(bench: Bench) -> None:
    bench.suite(10)
    script = Roles(cases={"C-004": judges_after_a_re_ask})
    printed, server = printed_with(bench, script, *BOTH, "--json")
    assert (printed.code, reasons(printed)) == (0, [None] * 10)
    assert len(judge_requests(server)) == 11
    again = next(received for received in judge_requests(server) if len(received.messages) == 4)
    assert again.messages[2]["content"] == "It reads well, I would say."
    assert "Your answer cannot be used." in again.messages[3]["content"]


@pytest.mark.parametrize(
    ("judge", "reason", "calls"),
    [(never_judges, "no_verdict", 2), (makes_up_a_token, "wrong_token", 2), (refuses_to_judge, "refused", 1)],
)
def test_a_judge_that_gives_no_verdict_leaves_the_case_unjudged(
    bench: Bench, judge: Callable[[Question], Behaviour], reason: str, calls: int
) -> None:
    with ChatServer(Roles(cases={"C-002": judge})) as server:
        bench.models(server.openai_url)
        printed = bench.run(*BOTH, "--json")
        assert (printed.code, reasons(printed)) == (0, [None, reason, None])
        assert len(judge_requests(server)) == 2 + calls
        assert bench.run(*BOTH, "--json") == printed
        assert len(judge_requests(server)) == 2 + calls


def test_a_judge_that_always_prints_one_answer_judges_only_the_case_that_it_names(bench: Bench) -> None:
    fixed: list[str] = []

    def judge(question: Question) -> Behaviour:
        fixed.append(question.verdict())
        return say(fixed[0])

    with ChatServer(Roles(judges=judge)) as server:
        bench.models(server.openai_url)
        printed = bench.run(*BOTH, "--max-connections", "1", "--json")
    assert sorted(row["status"] for row in printed.judgements) == ["judged", "unjudged", "unjudged"]
    assert {reason for reason in reasons(printed) if reason} <= {"wrong_case", "wrong_token"}


@dataclass(frozen=True)
class Tricks:
    """Cases whose replies are outputs of the hostile corpus: every fifth, since each of them is read several times."""

    texts: Sequence[str] = tuple(o.text for o in CORPUS if o.text.strip() and len(o.text) < 20_000)[::5]

    def write(self, bench: Bench) -> None:
        for index in range(len(self.texts)):
            bench.case(f"T-{index:03}", f"trick {index}", suite="tricks")

    def named_in(self, text: str) -> str:
        found = re.search(r"trick (\d+)$", text, re.MULTILINE)
        assert found, text
        return self.texts[int(found[1])]

    def reply(self, received: Received) -> Behaviour:
        return say(self.named_in(received.messages[-1]["content"]))


def test_no_trick_in_a_reply_changes_the_verdict_where_the_judge_prints_the_reply_before_its_own(bench: Bench) -> None:
    tricks = Tricks()
    tricks.write(bench)

    def judge(question: Question) -> Behaviour:
        own = question.verdict(axes={"naturalness": 7, "empathy_fit": 3})
        return say(f"{tricks.named_in(question.text)}\n\nMy verdict:\n\n{own}")

    script = Roles(judges=judge, subject=tricks.reply)
    printed, _ = printed_with(bench, script, "run", "tricks", "--subject", "loop", "--judge", "loop", "--json")
    judged = [row for row in printed.judgements if row["status"] == "judged"]
    assert [
        row["case_id"] for row in judged if (row["axes"]["naturalness"], row["axes"]["empathy_fit"]) != (7, 3)
    ] == []
    assert len(judged) > len(tricks.texts) / 2


def test_a_setting_that_the_server_refused_is_told_once_for_each_model(bench: Bench) -> None:
    roles = Roles()

    def script(received: Received) -> Behaviour:
        if "response_format" in received.body:
            return refuse(400, "response_format is not supported", param="response_format")
        return roles(received)

    printed, _ = printed_with(bench, script, *BOTH, "--json")
    assert printed.code == 0
    assert printed.err == "The server of loop does not accept response_format, so it was left out.\n"


# keys


def test_a_key_stands_nowhere_but_in_the_header(bench: Bench, tmp_path: Path) -> None:
    def leak(received: Received) -> Behaviour:
        question = question_in(received)
        if question is None and "corner 1 " in received.messages[-1]["content"]:
            return say(f"Your key is {received.headers['authorization']}, is it not?")
        if question is None:
            return say("Oh no.")
        if question.case_id == "C-002":
            return echo_headers(400)
        if question.case_id == "C-003":
            return say(question.verdict(notes=f"The key is {KEY}."))
        return judges_well(question)

    with ChatServer(leak) as server:
        keyed = Bench(tmp_path, {"OPENAI_API_KEY": KEY, "IAMHUMANS_OPENAI_BASE_URL": server.openai_url})
        line = ("run", "suite", "--subject", "openai/tiny", "--judge", "openai/tiny")
        shown = [keyed.run(*line, "--json"), keyed.run(*line), keyed.run(*line, "--debug")]
        assert all(received.headers["authorization"] == f"Bearer {KEY}" for received in server.requests)
        assert all(KEY not in json.dumps(received.body) for received in server.requests)
    assert {row["status"] for row in shown[0].judgements} == {"unjudged"}
    assert all(KEY not in printed.out + printed.err for printed in shown)
    assert KEY.encode() not in keyed.bytes_of_the_journal()
    assert "[key]" in shown[0].out


# options


def test_a_template_of_ones_own_is_sent_with_the_format_appended(bench: Bench, server: ChatServer) -> None:
    template = bench.write("template.md", "ID: `{{CASE_ID}}`\n\nLook:\n\n{{SKILL_RESPONSE}}\n")
    printed = bench.run(*BOTH, "--template", template, "--json")
    assert (printed.code, reasons(printed)) == (0, [None] * 3)
    assert all(len(received.messages) == 1 for received in judge_requests(server))


def test_the_dry_run_in_the_docs_is_right(bench: Bench) -> None:
    document = (Path(__file__).parents[2] / "docs" / "results.md").read_text()
    command, _, said = document.split("$ iamhumans run core --subject bot")[1].split("```")[0].partition("\n")
    bench.write("skill.md", "---\nname: warm\n---\nBe warm.\n")
    bench.models("http://127.0.0.1:9/v1", "prices = { prompt = 2.0, completion = 8.0 }", name="judge")
    bench.models("http://127.0.0.1:9/v1", name="bot")
    printed = bench.run("run", "core", "--subject", "bot", *command.split())

    def figures(text: str) -> list[int]:
        return [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", text)]

    assert re.sub(r"\d[\d,]*", "N", printed.out) == re.sub(r"\d[\d,]*", "N", said)
    # About so many: the prompt's wording may change.
    assert figures(printed.out) == pytest.approx(figures(said), rel=0.05)
