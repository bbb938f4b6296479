"""One conversation in every shape that is read, shared by tests. ``ASKED`` is answered by ``REPLIED``."""

from __future__ import annotations

import json
from typing import Any

ASKED, REPLIED, OTHER = "the bus left without me again", "Again? That driver knows your face by now.", "Plan ahead."


def user(text: str = ASKED) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str = REPLIED) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def serialised(kind: str, text: str) -> dict[str, Any]:
    """A message as LangChain serialises it."""
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", kind], "kwargs": {"content": text}}


def node(name: str, role: str, text: str, parent: str | None, **more: Any) -> dict[str, Any]:
    """A node of a tree of ChatGPT."""
    content = {"content_type": "text", "parts": [text]}
    message = {"author": {"role": role}, "content": content, "recipient": "all", "metadata": {}, **more}
    return {"id": name, "parent": parent, "children": [], "message": message}


TREE = {
    "root": {"id": "root", "parent": None, "children": ["hidden"], "message": None},
    "hidden": node("hidden", "system", "", "root", metadata={"is_visually_hidden_from_conversation": True}),
    "ask": node("ask", "user", ASKED, "hidden"),
    "first": node("first", "assistant", "An answer that was asked for again.", "ask"),
    "search": node("search", "assistant", '{"query": "bus"}', "ask", recipient="browser"),
    "found": node("found", "tool", "timetable", "search"),
    "last": node("last", "assistant", REPLIED, "found", metadata={"model_slug": "gpt-4o"}),
}


def otlp(**attributes: str) -> list[dict[str, Any]]:
    return [{"key": key.replace("__", "."), "value": {"stringValue": value}} for key, value in attributes.items()]


def parts(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


CHOICE = {"index": 0, "message": assistant(), "finish_reason": "stop"}
ITEM = {
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": REPLIED, "annotations": []}],
}
BLOCKS = {
    "role": "assistant",
    "model": "m-1",
    "content": [{"type": "text", "text": REPLIED}],
    "stop_reason": "end_turn",
}

ONE: dict[str, tuple[str, Any]] = {
    "ours": ("rows", {"input": ASKED, "reply": REPLIED}),
    "messages": ("messages", {"messages": [user(), assistant()]}),
    "messages and choices": ("messages", {"messages": [user()], "response": {"choices": [CHOICE]}}),
    "a completion": ("prompt-choices", {"prompt": ASKED, "choices": [{"text": REPLIED, "finish_reason": "stop"}]}),
    "anthropic": ("anthropic", {"system": "Be kind.", "messages": [user()], "response": BLOCKS}),
    "a request": ("requests", {"request": {"messages": [user()]}, "response": {"choices": [CHOICE]}}),
    "a request in texts": (
        "requests",
        {"request": json.dumps({"messages": [user()]}), "response": json.dumps({"choices": [CHOICE]})},
    ),
    "a request of Ollama": (
        "requests",
        {"request": {"prompt": ASKED}, "response": {"response": REPLIED, "done": True}},
    ),
    "responses": ("responses", {"input": ASKED, "output": [{"type": "reasoning", "summary": []}, ITEM]}),
    "items of responses": ("responses", {"input": [{"type": "message", **user()}], "output": [ITEM]}),
    "sharegpt": (
        "sharegpt",
        {"conversations": [{"from": "human", "value": ASKED}, {"from": "gpt", "value": REPLIED}]},
    ),
    "prompt and response": ("prompt-response", {"prompt": ASKED, "response": REPLIED}),
    "prompt and completion": ("prompt-completion", {"prompt": ASKED, "completion": REPLIED}),
    "input and output": ("input-output", {"input": ASKED, "output": REPLIED}),
    "question and answer": ("question-answer", {"question": ASKED, "answer": REPLIED}),
    "instruction": ("alpaca", {"instruction": ASKED, "input": "", "output": REPLIED}),
    "chatgpt": ("chatgpt", {"title": "bus", "current_node": "last", "mapping": TREE}),
    "claude": (
        "claude",
        {
            "name": "bus",
            "chat_messages": [
                {"sender": "human", "text": ASKED, "content": [{"type": "text", "text": ASKED}]},
                {"sender": "assistant", "text": REPLIED, "content": [{"type": "text", "text": REPLIED}]},
            ],
        },
    ),
    "langfuse": ("langfuse", {"type": "GENERATION", "traceId": "t", "input": [user()], "output": assistant()}),
    "langfuse in texts": (
        "langfuse",
        {"sessionId": "t", "input": json.dumps({"messages": [user()]}), "output": json.dumps(REPLIED)},
    ),
    "langsmith": (
        "langsmith",
        {
            "inputs": {"messages": [[serialised("HumanMessage", ASKED)]]},
            "outputs": {"generations": [[{"text": REPLIED, "message": serialised("AIMessage", REPLIED)}]]},
        },
    ),
    "langsmith examples": ("langsmith", {"inputs": {"question": ASKED}, "outputs": {"answer": REPLIED}}),
    "langchain": (
        "langchain",
        {"messages": [{"type": "human", "data": {"content": ASKED}}, {"type": "ai", "data": {"content": REPLIED}}]},
    ),
    "spans": (
        "otel",
        {
            "attributes": {
                "gen_ai.input.messages": json.dumps([parts("user", ASKED)]),
                "gen_ai.output.messages": json.dumps([{**parts("assistant", REPLIED), "finish_reason": "stop"}]),
            }
        },
    ),
    "spans with structures": (
        "otel",
        {
            "attributes": {
                "gen_ai.input.messages": [parts("user", ASKED)],
                "gen_ai.output.messages": [parts("assistant", REPLIED)],
            }
        },
    ),
    "spans of OTLP": (
        "otel",
        {
            "resourceSpans": [
                {
                    "scopeSpans": [
                        {
                            "spans": [
                                {
                                    "attributes": otlp(
                                        gen_ai__prompt__0__role="user",
                                        gen_ai__prompt__0__content=ASKED,
                                        gen_ai__completion__0__role="assistant",
                                        gen_ai__completion__0__content=REPLIED,
                                    )
                                }
                            ]
                        }
                    ]
                }
            ]
        },
    ),
    "events of spans": (
        "otel",
        {
            "attributes": {"gen_ai.system": "x"},
            "events": [
                {"name": "gen_ai.user.message", "attributes": {"content": ASKED}},
                {"name": "gen_ai.choice", "attributes": {"message": json.dumps(assistant()), "finish_reason": "stop"}},
            ],
        },
    ),
    "openinference": (
        "otel",
        {
            "attributes": {
                "llm.input_messages.0.message.role": "user",
                "llm.input_messages.0.message.content": ASKED,
                "llm.output_messages.0.message.role": "assistant",
                "llm.output_messages.0.message.content": REPLIED,
            }
        },
    ),
    "inspect": (
        "inspect",
        {
            "eval": {"model": "m"},
            "samples": [
                {
                    "epoch": 1,
                    "input": ASKED,
                    "target": "",
                    "messages": [user(), assistant()],
                    "output": {"choices": [CHOICE]},
                }
            ],
        },
    ),
    "promptfoo": (
        "promptfoo",
        {
            "results": {
                "version": 3,
                "results": [
                    {
                        "provider": {"id": "m"},
                        "prompt": {"raw": f"Answer: {ASKED}"},
                        "vars": {"message": ASKED},
                        "response": {"output": REPLIED},
                    }
                ],
            }
        },
    ),
    "wildchat": (
        "wildchat",
        {"conversation_hash": "h", "language": "English", "conversation": [user(), assistant()]},
    ),
    "lmsys": ("lmsys", {"conversation_id": "c", "conversation": [user(), assistant()]}),
    "messages in a text": ("message-list", {"when": 3, "payload": json.dumps([user(), assistant()])}),
    "messages as Python prints them": ("message-list", {"payload": str([user(), assistant()])}),
    "gemini": (
        "gemini",
        {
            "contents": [{"role": "user", "parts": [{"text": ASKED}]}],
            "candidates": [
                {
                    "content": {"role": "model", "parts": [{"text": "Hm.", "thought": True}, {"text": REPLIED}]},
                    "finishReason": "STOP",
                }
            ],
        },
    ),
    "vercel": (
        "vercel",
        {
            "messages": [
                {"id": "1", "role": "user", "parts": [{"type": "text", "text": ASKED}]},
                {"id": "2", "role": "assistant", "parts": [{"type": "step-start"}, {"type": "text", "text": REPLIED}]},
            ]
        },
    ),
    "a chat with a bot": (
        "messages",
        {
            "messages": [
                {"type": "message", "user": "U1", "text": ASKED},
                {"type": "message", "bot_id": "B", "text": REPLIED},
            ]
        },
    ),
    "a transcript": ("transcript", {"text": f"User: {ASKED}\nAssistant: {REPLIED}"}),
    "marks of a chat template": (
        "transcript",
        {"text": f"<|im_start|>user\n{ASKED}<|im_end|>\n<|im_start|>assistant\n{REPLIED}<|im_end|>\n"},
    ),
    "meta of a span": ("spans", {"meta": {"input": {"messages": [user()]}, "output": {"messages": [assistant()]}}}),
    "a tree of OpenAssistant": (
        "oasst",
        {
            "prompt": {
                "role": "prompter",
                "text": ASKED,
                "replies": [
                    {"role": "assistant", "text": OTHER, "rank": 1},
                    {"role": "assistant", "text": REPLIED, "rank": 0},
                ],
            }
        },
    ),
}
"""Shapes whose record holds one reply, with the name that the shape is given."""

TWO: dict[str, tuple[str, Any]] = {
    "chosen and rejected": ("chosen-rejected", {"prompt": ASKED, "chosen": REPLIED, "rejected": OTHER}),
    "lists of messages": (
        "chosen-rejected",
        {"chosen": [user(), assistant()], "rejected": [user(), assistant(OTHER)]},
    ),
    "a prompt and lists": (
        "chosen-rejected",
        {"prompt": [user()], "chosen": [assistant()], "rejected": [assistant(OTHER)]},
    ),
    "transcripts": (
        "chosen-rejected",
        {
            "chosen": f"\n\nHuman: {ASKED}\n\nAssistant: {REPLIED}",
            "rejected": f"\n\nHuman: {ASKED}\n\nAssistant: {OTHER}",
        },
    ),
    "preferred outputs": (
        "chosen-rejected",
        {
            "input": {"messages": [user()]},
            "preferred_output": [assistant()],
            "non_preferred_output": [assistant(OTHER)],
        },
    ),
    "an arena": (
        "arena",
        {
            "model_a": "chosen",
            "model_b": "rejected",
            "conversation_a": [user(), assistant()],
            "conversation_b": [user(), assistant(OTHER)],
        },
    ),
    "an arena in texts": (
        "arena",
        {
            "model_a": "chosen",
            "model_b": "rejected",
            "prompt": json.dumps([ASKED]),
            "response_a": json.dumps([REPLIED]),
            "response_b": json.dumps([OTHER]),
        },
    ),
    "completions of several models": (
        "several-completions",
        {
            "instruction": ASKED,
            "completions": [{"model": "chosen", "response": REPLIED}, {"model": "rejected", "response": OTHER}],
        },
    ),
}
"""Shapes whose record holds two replies, of two subjects."""
