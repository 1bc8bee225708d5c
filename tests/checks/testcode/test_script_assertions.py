from __future__ import annotations

import pytest

from handoff_tui.checks.testcode.code_assertions import Strength
from handoff_tui.checks.testcode.code_text import Family, parse_code
from handoff_tui.checks.testcode.marked_tests import find_script_assertions


def strengths(text: str) -> list[Strength]:
    return [assertion.strength for assertion in find_script_assertions(parse_code(text, Family.SCRIPT))]


@pytest.mark.parametrize(
    "text",
    [
        "expect(a).toBe(1)",
        "expect(a)\n  .resolves\n  .toEqual({ b: ')' })",
        "expect.soft(a).toHaveLength(2)",
        "expect(a).to.equal(3)",
        "expect(() => a()).toThrow('b')",
        "assert.equal(a, b)",
        "assert(a === b)",
        "assert.throws(() => a(), /b/)",
        "sinon.assert.calledWith(a, b)",
        "a.should.equal(b)",
        "t.is(a, b)",
    ],
)
def test_comparison_is_exact(text: str) -> None:
    """With something that is named."""
    assert strengths(text) == [Strength.EXACT]


@pytest.mark.parametrize(
    "text",
    [
        "expect(a).toBeTruthy()",
        "expect(a).toBeDefined()",
        "expect(a).not.toBe(1)",
        "expect(a).toEqual(expect.anything())",
        "expect(() => a()).toThrow()",
        "expect(a).to.exist",
        "expect.assertions(2)",
        "assert(a)",
        "assert.ok(a)",
        "assert.notEqual(a, b)",
        "assert.throws(() => a())",
        "expectValid(a)",
        "t.truthy(a)",
    ],
)
def test_mere_truth_is_loose(text: str) -> None:
    """So is what is only denied, and what anything satisfies."""
    assert strengths(text) == [Strength.LOOSE]


@pytest.mark.parametrize(
    "text",
    [
        "expect(true).toBe(true)",
        "expect(a.b( 1 )).toEqual(a.b(1))",
        "expect(1).toBeTruthy()",
        "expect(a)",
        "expect(a);",
        "assert(true)",
        "assert.ok(1)",
        "assert.equal(a, a)",
        "assert(a || true)",
        "t.pass()",
        "try { a() } catch (error) { }",
        "try { a() } catch { /* fine */ }",
    ],
)
def test_assertion_that_cannot_fail_is_trivial(text: str) -> None:
    """Compared with itself, without a matcher, always true, or caught."""
    assert strengths(text) == [Strength.TRIVIAL]


@pytest.mark.parametrize(
    "text",
    [
        "// expect(a).toBe(1)",
        "'expect(a).toBe(1)'",
        "`expect(a).toBe(1)`",
        "a.expect(b)",
        "unexpected(a)",
        "expect.extend({})",
        "expect.any(Number)",
        "try { a() } catch (error) { throw error }",
    ],
)
def test_what_asserts_nothing_is_none(text: str) -> None:
    """Comments, strings, other names."""
    assert strengths(text) == []
