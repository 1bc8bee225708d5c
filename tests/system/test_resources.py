from __future__ import annotations

import pytest

from handoff_tui.core.errors import HandoffError
from handoff_tui.system.resources import find_resource


def test_resource_of_the_checkout_is_found() -> None:
    """The themes are beside the package or at the top of the checkout."""
    assert find_resource("themes").is_dir()


def test_resource_that_was_not_installed_is_named() -> None:
    """A missing folder is an expected error with a hint."""
    with pytest.raises(HandoffError, match="no-such-folder") as caught:
        find_resource("no-such-folder")
    assert caught.value.hint
