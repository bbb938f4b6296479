"""Rubric, case and reply to messages."""

from iamhumans.prompts.messages import Answer, Message, Request, Role

__all__ = ["Answer", "Message", "Request", "Role"]
