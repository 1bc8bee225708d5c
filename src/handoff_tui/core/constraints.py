"""What a field takes beyond its type, if it comes from outside: marks for `Annotated` that pydantic understands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Limits:
    """Limits in pydantic's words: ge, gt, le, min_length, max_length, pattern, allow_inf_nan."""

    def __init__(self, **words: object) -> None:
        self.words = words

    def __get_pydantic_core_schema__(self, source: object, handler: Callable[[object], Any]) -> Any:  # noqa: ANN401
        return {**handler(source), **self.words}


class Checked:
    """A function that returns the value, or raises ValueError. `described` is added to the JSON Schema."""

    def __init__(self, function: Callable[[Any], Any], described: dict[str, object] | None = None) -> None:
        self.function = function
        self.described = described

    def __get_pydantic_core_schema__(self, source: object, handler: Callable[[object], Any]) -> Any:  # noqa: ANN401
        from pydantic_core.core_schema import no_info_after_validator_function  # noqa: PLC0415

        metadata = {"pydantic_js_updates": self.described} if self.described else None
        return no_info_after_validator_function(self.function, handler(source), metadata=metadata)


class Prepared:
    """A function that gets the value as it was written, before anything else looks at it."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def __get_pydantic_core_schema__(self, source: object, handler: Callable[[object], Any]) -> Any:  # noqa: ANN401
        from pydantic_core.core_schema import no_info_before_validator_function  # noqa: PLC0415

        return no_info_before_validator_function(self.function, handler(source))
