"""A folder or table of images, sound, video or text as items: features, and what pages show of them."""

from tercet.media._errors import UnreadableError
from tercet.media._examples import EXAMPLES, example, example_labels
from tercet.media._extracting import Progress
from tercet.media._loading import load_items
from tercet.media._showing import as_playable, media_file, spectrogram, text_of, thumbnail

__all__ = [
    "EXAMPLES",
    "Progress",
    "UnreadableError",
    "as_playable",
    "example",
    "example_labels",
    "load_items",
    "media_file",
    "spectrogram",
    "text_of",
    "thumbnail",
]
