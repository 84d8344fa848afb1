"""Errors that end a run."""

from typing import Any


class Refusal(Exception):
    """Ends the run with exit code 2 and an error line."""

    def __init__(self, code: str, message: str, **details: Any):
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details


class Interrupted(Exception):
    """SIGTERM or SIGINT was received; the current step is abandoned."""
