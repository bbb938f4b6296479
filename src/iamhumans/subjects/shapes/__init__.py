"""The shapes in which people keep conversations, and how each is read."""

from iamhumans.subjects.shapes.columns import parse_columns, shape_of_columns
from iamhumans.subjects.shapes.registry import SHAPES, recognise, shape_named, shape_of
from iamhumans.subjects.shapes.said import Conversation, Said
from iamhumans.subjects.shapes.shape import Shape
