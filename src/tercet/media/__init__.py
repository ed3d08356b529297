"""A folder or table of images, sound, video or text as items: features, and what pages show of them."""

from tercet.media._examples import EXAMPLES, example, example_labels

__all__ = [
    "EXAMPLES",
    "example",
    "example_labels",
]
