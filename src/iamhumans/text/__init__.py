"""Foreign text: read with its line numbers, compared, and shown without harm."""

from iamhumans.text.endings import Ending, ending_of
from iamhumans.text.env_file import read_env_file
from iamhumans.text.files import MAX_FILE_BYTES, decode_text, is_inside, open_regular, read_bytes, read_text
from iamhumans.text.json_text import json_text
from iamhumans.text.phrases import did_you_mean, fold, has_substance, is_quoted
from iamhumans.text.reasoning import Seen, take_off_reasoning
from iamhumans.text.replies import SeenReply, read_message, read_response, seen_message, seen_response
from iamhumans.text.safety import for_csv, for_markdown, for_terminal, one_line
from iamhumans.text.yaml import YamlProblem, YamlReading, YamlValue, read_yaml
