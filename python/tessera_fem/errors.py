# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions of the package. Each kind is a class, as the program has an exit code for each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, Optional

if TYPE_CHECKING:
    from .runs import Run

_SECTIONS = "tessera|title|mesh|problem|discretization|assembly|solver|execution|output|verification|sweep"
_PLACE = re.compile(
    rf"(?:(?P<file>[^:\n]+)(?::(?P<line>\d+))?: )?(?P<key>(?:{_SECTIONS})(?:[.\[][^:\n]*)?): (?P<text>.*)|"
    r"(?P<file2>[^:\n]+):(?P<line2>\d+): (?P<text2>.*)")


class Problem(NamedTuple):
    """One thing that is wrong in an input."""

    file: Optional[str]  #: path of the input; None: it was given by Python
    line: Optional[int]  #: from 1
    key: Optional[str]  #: "problem.boundaries.high"
    text: str  #: what is wrong, and what is allowed


class Error(Exception):
    """Base of all exceptions of this package. ``exit_code`` is that of the program ``tessera``."""

    exit_code = 1


class InputError(Error, ValueError):
    """Wrong input or use. ``problems`` lists every one with file, line and key; ``file``, ``line`` and ``key`` are those
    of the first."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self.problems: list[Problem] = [_problem(line) for line in str(message).split("\n") if line]
        first = self.problems[0] if self.problems else Problem(None, None, None, "")
        self.file, self.line, self.key = first.file, first.line, first.key


class NumericalError(Error, ArithmeticError):
    """No usable solution: not converged, a singular system, an expected quantity that was missed. ``run`` has the results
    so far, if there are any; they are not a solution."""

    exit_code = 2

    def __init__(self, message: str = "", run: Optional[Run] = None) -> None:
        super().__init__(message)
        self.run = run


class ResourceError(Error, RuntimeError):
    """Out of memory, disk or device."""

    exit_code = 3

    def __init__(self, message: str = "", run: Optional[Run] = None) -> None:
        super().__init__(message)
        self.run = run


def _problem(line: str) -> Problem:
    found = _PLACE.fullmatch(line)
    if not found:
        return Problem(None, None, None, line)
    file = found["file"] or found["file2"]
    number = found["line"] or found["line2"]
    return Problem(None if file in (None, "Python") else file, int(number) if number else None, found["key"],
                   found["text"] or found["text2"] or "")
