"""SIGTERM abandons the current step; SIGUSR1 ends training early."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from .lines import log
from .refusal import Interrupted


class Signals:
    def __init__(self) -> None:
        self.interrupted = False
        self.stop_early = False
        self.saved_step = 0
        self._may_raise = False

    def install(self) -> None:
        for name in ("SIGTERM", "SIGINT"):
            signal.signal(getattr(signal, name), self._interrupt)
        if hasattr(signal, "SIGUSR1"):
            signal.signal(signal.SIGUSR1, self._stop)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """For work without side effects: here a signal raises immediately."""
        self.check()
        self._may_raise = True
        try:
            yield
        finally:
            self._may_raise = False

    def check(self) -> None:
        if self.interrupted:
            raise Interrupted

    def _interrupt(self, *_: object) -> None:
        if self.interrupted:
            os._exit(75)
        log("interrupted: saving a checkpoint")
        self.interrupted = True
        if self._may_raise:
            self._may_raise = False
            raise Interrupted

    def _stop(self, *_: object) -> None:
        log("stopping early")
        self.stop_early = True
