"""The labelling app over HTTP: pages, an API, media and downloads. Needs the extra ``label``."""

from tercet.web.app import create_app
from tercet.web.settings import WebSettings

__all__ = ["WebSettings", "create_app"]
