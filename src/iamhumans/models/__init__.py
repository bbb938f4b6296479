"""Chat endpoints. The only code that touches the network."""

from iamhumans.models.chat import ChatModel, FailureKind, Limits, ModelFailure, ModelIdentity, Prices, Reception, Usage
from iamhumans.models.config import Config, find_config, read_config
from iamhumans.models.functions import CallableModel
from iamhumans.models.opening import open_model
from iamhumans.models.providers import PROVIDERS
from iamhumans.models.trust import Power, allow, is_allowed, load_config, powers
