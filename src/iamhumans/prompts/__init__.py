"""From rubric, case and reply to messages; and from two replies side by side."""

from iamhumans.prompts.case_parts import encodable, fenced, on_one_line
from iamhumans.prompts.judging import asks_for_token, common_share, fixed_text, judge_messages, prompt_hash
from iamhumans.prompts.messages import Answer, Message, Request, Role
from iamhumans.prompts.side_by_side import side_by_side_hash, side_by_side_messages, side_by_side_text
from iamhumans.prompts.template import PLACEHOLDERS, Template
