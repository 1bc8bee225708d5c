"""How people and agents put what they claim, and what they only mention: written before the grammar that reads it.

A slot such as `<created>` stands for a path, commit or branch; its name says what the sentence claims. Slots in
`SILENT` stand for words that claim nothing, however much they look like it. Counts, words and blockers are written out.
"""

from __future__ import annotations

from typing import Final, NamedTuple

CLAIMED: Final = {
    "created": "file-created",
    "modified": "file-modified",
    "deleted": "file-deleted",
    "read": "file-referenced",
    "hash": "hash",
    "commit": "commit",
    "branch": "branch",
    "dirty": "uncommitted",
}
"""The kind of claim that a slot makes."""
SILENT: Final = ("mention", "remote", "tag", "alias", "package", "placeholder", "host", "ignored", "hex", "command")


class Sentence(NamedTuple):
    """A passage; `written` says in whose manner. A passage without a heading is put under one that says nothing."""

    text: str
    written: str = ""


CREATED: Final = (
    Sentence("## Files created\n\n- `<created>` - the new worker\n- `<created>`"),
    Sentence("## New Files\n\n| File | Purpose |\n|---|---|\n| `<created>` | parser |\n| `<created>` | tests |"),
    Sentence("### ✅ Files Created\n\n1. **`<created>`** — entry point\n2. **`<created>`** — helpers", "claude"),
    Sentence("I created `<created>` and wired it up.", "codex"),
    Sentence("- Added `<created>` so that retries are bounded", "codex"),
    Sentence("- **Added**: `<created>`, `<created>`", "gemini"),
    Sentence("A new module, `<created>`, was introduced to hold the queue.", "gemini"),
    Sentence("`<created>` has been created and covers the happy path.", "gemini"),
    Sentence("- [x] Create `<created>`", "hurried"),
    Sentence("- ✅ Created `<created>` (240 lines)", "claude"),
    Sentence("new: <created>\nnew: <created>", "hurried"),
    Sentence("## Changes\n\n- `<created>` (new)\n- `<modified>`", "codex"),
    Sentence("We have newly created the file `<created>`.", "german"),
    Sentence("The file `<created>` was made new in this session.", "norwegian"),
    Sentence("## Files\n\n| Path | Action |\n|---|---|\n| `<created>` | created |\n| `<modified>` | modified |"),
    Sentence("## What was done\n\n- Wrote `<created>` with the migration", "claude"),
    Sentence("## Changed files\n\n```\nA\t<created>\nM\t<modified>\nD\t<deleted>\n```", "codex"),
    Sentence("## Summary of changes\n\n* NEW `<created>`\n* UPD `<modified>`\n* DEL `<deleted>`", "hurried"),
    Sentence("Done: implemented the cache in a new file (`<created>`).", "gemini"),
)
MODIFIED: Final = (
    Sentence("## Files modified\n\n- `<modified>`: bounded the retries\n- `<modified>`"),
    Sentence("## Modified Files\n\n| File | Change |\n|---|---|\n| `<modified>` | retry loop |"),
    Sentence("I updated `<modified>` to read the new setting.", "codex"),
    Sentence("`<modified>` was refactored; the behaviour is the same.", "gemini"),
    Sentence("- **Modified:** `<modified>`", "claude"),
    Sentence("- 🔧 Fixed the race in `<modified>`", "claude"),
    Sentence("Touched `<modified>` only.", "hurried"),
    Sentence("Changes were made to `<modified>` and `<modified>`.", "gemini"),
    Sentence("In `<modified>` I have changed the timeout to 30 seconds.", "german"),
    Sentence("- [x] Update `<modified>`", "hurried"),
    Sentence("### Files changed (2)\n\n- <modified>\n- <modified>", "codex"),
    Sentence("## Files touched\n\n- `<modified>:40-52` guard added", "claude"),
    Sentence("We edited `<modified>` so it handles empty input.", "norwegian"),
)
DELETED: Final = (
    Sentence("## Files deleted\n\n- `<deleted>`"),
    Sentence("- Removed `<deleted>`, which nothing used", "codex"),
    Sentence("`<deleted>` has been deleted.", "gemini"),
    Sentence("## Files changed\n\n- `<deleted>` (deleted)\n- `<modified>`"),
    Sentence("- `<deleted>`, deleted", "hurried"),
    Sentence("I have removed the file `<deleted>` because it was dead code.", "german"),
    Sentence("## Cleanup\n\n- 🗑️ Deleted `<deleted>`", "claude"),
    Sentence("The obsolete `<deleted>` was removed from the tree.", "norwegian"),
)
READ: Final = (
    Sentence("## Key files\n\n- `<read>` - start here\n- `<read>`", "claude"),
    Sentence("Read `<read>` before you continue.", "codex"),
    Sentence("See `<read>` for the design.", "gemini"),
    Sentence("## References\n\n- Design: `<read>`", "gemini"),
    Sentence("**Start with:** `<read>`", "claude"),
)
HASHES: Final = (
    Sentence("## Files modified\n\n- `<hash>` (SHA256: `<sha>`)"),
    Sentence("## Manifest hashes\n\n| File | SHA-256 |\n|---|---|\n| `<hash>` | `sha256:<sha>` |"),
    Sentence("- `<hash>` — sha256:<sha>", "codex"),
    Sentence("`<hash>` now hashes to <sha>.", "gemini"),
    Sentence("## Files modified\n\n- `<hash>`\n  - SHA256 after: `<sha>`", "claude"),
    Sentence("## Checksums\n\n```\n<sha>  <hash>\n```", "hurried"),
)
COMMITS: Final = (
    Sentence("Committed as `<commit>`.", "codex"),
    Sentence("**Commit:** `<commit>`"),
    Sentence("## Commits\n\n- `<commit>` feat: bound the retries\n- `<commit>` test: cover them", "claude"),
    Sentence("| Commit | Subject |\n|---|---|\n| <commit> | bound the retries |", "gemini"),
    Sentence("All changes are pushed (commit <commit>).", "gemini"),
    Sentence("- Fixed in <commit>", "hurried"),
    Sentence("HEAD is now at <commit>.", "hurried"),
    Sentence("The work was commited with <commit> to main.", "german"),
    Sentence("## Git log\n\n```\n<commit> bound the retries\n```", "codex"),
    Sentence("- [x] Task 3 done (`<commit>`)", "claude"),
)
BRANCHES: Final = (
    Sentence("**Branch:** `<branch>`"),
    Sentence("Branch: <branch>", "hurried"),
    Sentence("The work is on branch `<branch>`.", "codex"),
    Sentence("All commits are on the `<branch>` branch.", "gemini"),
    Sentence("- **Current branch**: `<branch>` (not merged)", "claude"),
    Sentence("Pushed to `<branch>`.", "hurried"),
)
UNCOMMITTED: Final = (
    Sentence("## Uncommitted changes\n\n- `<dirty>`\n- `<dirty>`"),
    Sentence("`<dirty>` is not committed yet.", "codex"),
    Sentence("## Git status\n\nUncommitted: `<dirty>`", "claude"),
    Sentence("There are uncommitted changes in `<dirty>`.", "gemini"),
    Sentence("## Uncommitted work\n\n```\n M <dirty>\n```", "hurried"),
)
FILES_BY_FOLDER: Final = (
    Sentence("## Files created\n\nAll files in `staging/<folder>/`:\n\n- `<in-folder>`\n- `<in-folder>`"),
)
"""Bare names under a sentence that says in which folder they are."""
LATER: Final = (
    Sentence("**New files:**\n- `<created>`\n- `<created>`"),
    Sentence("- Implemented retry queue → `<created>` (new)"),
    Sentence("## Deliverables completed\n\n- [x] `<created>` written"),
    Sentence("### Created\n\n- `<created>`: the worker"),
    Sentence("### Modified\n\n- `<modified>`: the loop"),
    Sentence("### Removed\n\n- `<deleted>`"),
    Sentence("Files added: `<created>`, `<created>` and `<created>`."),
    Sentence("I've added a helper module at `<created>`."),
    Sentence("We introduced `<created>`; it replaces the old queue."),
    Sentence("Generated `<created>` from the schema."),
    Sentence("* `<created>` — NEW — parser"),
    Sentence("- `<modified>` — updated imports"),
    Sentence("- `<modified>` → fixed the off-by-one"),
    Sentence("Refactored `<modified>` and `<modified>` for clarity."),
    Sentence("I rewrote the retry loop in `<modified>`."),
    Sentence("Bumped the timeout in `<modified>` from 10 to 30."),
    Sentence("The following files were changed:\n\n- `<modified>`\n- `<modified>`"),
    Sentence("The following files have been deleted:\n\n- `<deleted>`"),
    Sentence("Dropped `<deleted>`; nobody imported it."),
    Sentence("| File | Status |\n|---|---|\n| <created> | Added |\n| <modified> | Changed |\n| <deleted> | Removed |"),
    Sentence("## Changes\n\n| Path | What |\n|---|---|\n| `<modified>` | retry loop |"),
    Sentence("Latest commit: <commit>"),
    Sentence("Commits: `<commit>`, `<commit>`"),
    Sentence("- <commit>: bound the retries (commit)"),
    Sentence("Merged as <commit> into main."),
    Sentence("See commit <commit> for the fix."),
    Sentence("| # | SHA | Message |\n|---|---|---|\n| 1 | `<commit>` | bound it |"),
    Sentence("Working branch: `<branch>`"),
    Sentence("I pushed everything to the branch `<branch>`."),
    Sentence("Not committed: `<dirty>`"),
    Sentence("### Uncommitted files\n\n1. `<dirty>` - needs review"),
    Sentence("sha256(`<hash>`) = <sha>"),
    Sentence("- **`<hash>`**\n  - sha256: <sha>"),
    Sentence("Please read `<read>` first."),
    Sentence("## Important files\n\n| File | Why |\n|---|---|\n| `<read>` | design |"),
)
"""Written when the grammar was there, before it was tried on them."""
REWRITTEN: Final = (
    Sentence("This commit adds `<created>` and removes `<deleted>`."),
    Sentence("`<modified>` and `<modified>` were both rewritten; the rest is as it was."),
    Sentence("Besides fixing the retry, I cleaned up `<modified>`."),
    Sentence("## What changed\n\n- **Parser** (`<modified>`): tolerant of blank lines\n- **CLI** — `<modified>`"),
    Sentence("Split the big module into `<created>` and `<created>`."),
    Sentence("`<modified>` had to be changed by hand, and `<modified>` got a new key."),
    Sentence("The only file I changed is `<modified>`."),
    Sentence("Files I touched: <modified>, <modified> (tests only), and <modified>."),
    Sentence("| Created | Modified | Deleted |\n|---|---|---|\n| `<created>` | `<modified>` | `<deleted>` |"),
    Sentence("| Files created | `<created>` |\n|---|---|\n| Files deleted | `<deleted>` |"),
    Sentence("```\n$ git diff --stat HEAD~1\n <modified> | 12 +++++-----\n 1 file changed\n```"),
    Sentence("```\n$ git show --stat\n create mode 100644 <created>\n delete mode 100644 <deleted>\n```"),
    Sentence("```\n$ git status --short\n M <dirty>\n```"),
    Sentence("```\nChanges not staged for commit:\n\tmodified:   <dirty>\n```"),
    Sentence("New tests: `<created>`, `<created>`"),
    Sentence("Affected files: `<modified>`, `<modified>`"),
    Sentence("Work in this session went into `<modified>`."),
    Sentence("I have also brought `<modified>` up to date."),
    Sentence("There's a new migration at `<created>`."),
    Sentence("The PR touches `<modified>` and nothing else."),
    Sentence("- feat: add the queue (`<created>`)"),
    Sentence("Tests: wrote `<created>` (12 cases); extended `<modified>`."),
    Sentence("The following were deleted: `<deleted>`, `<deleted>`."),
    Sentence("We ended up with a new helper, `<created>`, and `<modified>` gained a lock."),
    Sentence("### Changes\n\n+ `<created>`\n~ `<modified>`"),
    Sentence("## Diff at a glance\n\n- M <modified>\n- A <created>\n- D <deleted>"),
    Sentence(
        "## Deliverables completed\n\n| What | Location | Status |\n|---|---|---|\n| Queue | `<created>` | ✅ created |"
    ),
    Sentence("## What was built\n\n1. Queue rules in `<modified>`\n2. Expiry: `<modified>`"),
    Sentence("Nobody imported `<deleted>`, which I removed."),
    Sentence("I got rid of `<deleted>` and knocked together `<created>`."),
    Sentence("✅ `<created>` — new script, fills the table\n⏳ `<mention>` — not started"),
    Sentence("Copied the template to `<created>`."),
    Sentence("Everything's committed except `<dirty>`."),
    Sentence("I left `<dirty>` dirty on purpose."),
    Sentence("Base: <commit>. Merged as <commit>."),
    Sentence("| Field | Value |\n|---|---|\n| Branch | <branch> |\n| Last commit | <commit> |"),
    Sentence("Review with `git log <commit>..<commit>`."),
    Sentence("1. **Task 1: queue** - `<commit>` (feat)"),
    Sentence("Git: on `<branch>`, two commits ahead."),
    Sentence("The hash of `<hash>` is <sha>."),
    Sentence("The rules are explained in `<read>`."),
    Sentence("Design: docs in `<read>`; start with `<read>`."),
    Sentence("`<read>` covers the planner."),
)
"""Shapes that came up while the grammar was rewritten: each was tried on it once, and most held."""
MENDED: Final = (
    Sentence("`<created>` was introduced, `<modified>` adjusted to it."),
    Sentence("`<created>` was added late, and so was `<created>`."),
    Sentence("`<modified>` got two more cases; `<modified>` received an index."),
    Sentence("`<created>` is new, `<modified>` got a second entry."),
    Sentence("`<deleted>` turned into `<created>`."),
    Sentence("`<deleted>` is now called `<created>`."),
    Sentence("`<deleted>` has been renamed `<created>`; had to touch `<modified>` for that."),
    Sentence("`<deleted>` heißt jetzt `<created>`."),
    Sentence("J'ai déplacé `<deleted>` en `<created>`."),
    Sentence("`<created>` und `<created>` sind neu, `<modified>` wurde ergänzt."),
    Sentence("**Neu angelegt:**\n- `<created>`\n- `<created>`"),
    Sentence("## 追加したファイル\n- `<created>`\n\n他に`<modified>`を更新しました。"),
    Sentence("| archivo | acción |\n|---|---|\n| <created> | creado |\n| <deleted> | borrado |"),
    Sentence("| # | task | done |\n|---|---|---|\n| 1 | add `<created>` | ✅ |\n| 2 | add `<mention>` | no |"),
    Sentence("- `<modified>` → reads the flag now (changed)"),
    Sentence("The minutes can be found at `<read>`."),
    Sentence("Work was done on branch `<branch>`."),
    Sentence("Refs: <commit>, <commit>"),
    Sentence("The loop was rewritten (see <commit>)."),
)
"""Shapes of a fourth sample by somebody who had not read the grammar, in other words."""
CLAIMING: Final = (
    *MENDED,
    *REWRITTEN,
    *CREATED,
    *MODIFIED,
    *DELETED,
    *READ,
    *HASHES,
    *COMMITS,
    *BRANCHES,
    *UNCOMMITTED,
    *FILES_BY_FOLDER,
    *LATER,
    Sentence(
        "## [Unreleased] - 2026-05-03\n\n### Added\n\n- `<created>`\n\n"
        "## [1.4.0] - 2026-05-02\n\n### Added\n\n- `<mention>`, since folded into the above"
    ),
    Sentence("NEW\n  <created>\n  <created>\n\nGONE\n  <deleted>"),
)

NOT_CLAIMING: Final = (
    Sentence("Out of scope: `<mention>`, `<mention>`"),
    Sentence("`<mention>` doesn't exist any more, ignore references to it"),
    Sentence("## Done\n\n- `<mention>` is going to be generated by the import job"),
    Sentence("## Background\n\nIn March, Dana rewrote `<mention>` and added `<mention>`."),
    Sentence("Reverted the change to `<mention>`."),
    Sentence("We ended up not touching `<mention>`."),
    Sentence("Ranking was considered (see `<mention>` in the old branch), but dropped."),
    Sentence("On first start the server creates `<mention>` and writes `<mention>`."),
    Sentence("Had we removed `<mention>`, loans would break."),
    Sentence("I ran `<mention>` and reviewed `<mention>`; no changes needed."),
    Sentence("Instead of a new `<mention>`, the model stays where it is."),
    Sentence("No new component: `<mention>` was never created."),
    Sentence("Option A was a new `<mention>`; we kept what is there."),
    Sentence("## WHAT WE TRIED BEFORE (FAILED)\n\n- Last week's session had created `<mention>` and `<mention>`."),
    Sentence("## Definition of done\n\n- `<mention>` exists and passes\n- `<mention>` describes the texts"),
    Sentence("OPEN\n  <mention>\n  <mention>"),
    Sentence("You will:\n\n1. Create `<mention>` with one function."),
    Sentence("Read `<mention>` if it exists."),
    Sentence("The uncommitted change in `<mention>` has long been committed."),
    Sentence("Its documentation `<mention>` was deleted a year ago."),
    Sentence("What I did not do: touch `<mention>`."),
    Sentence("Either/or: retry and/or give up; the client/server split stays."),
    Sentence("The agent claimed to have written `<mention>`."),
    Sentence("Someone added `<mention>` before I started."),
    Sentence("`<mention>` was rebuilt in earlier sessions (`<mention>` bug fixes), not now."),
    Sentence("Once 2.0 is out, `<mention>` gets removed."),
    Sentence("Dana reported that `<mention>` was deleted."),
    Sentence("`<mention>` has never been written, whatever the ticket says."),
    Sentence("「`<mention>`を追加しました」と書く。"),
    Sentence("Man schreibt: „`<mention>` wurde angelegt“."),
    Sentence("次に`<mention>`を作成する予定です。"),
    Sentence("まだ`<mention>`は作成していません。"),
    # planned
    Sentence("## Next steps\n\n- Create `<mention>`\n- Update `<mention>` afterwards", "claude"),
    Sentence("- [ ] Create `<mention>`", "hurried"),
    Sentence("We will add `<mention>` next week.", "codex"),
    Sentence("The next agent should create `<mention>`.", "gemini"),
    Sentence("TODO: delete `<mention>`", "hurried"),
    Sentence("## Plan\n\n1. Add `<mention>`\n2. Modify `<mention>`", "claude"),
    Sentence("`<mention>` still has to be written.", "german"),
    Sentence("It remains to update `<mention>`.", "norwegian"),
    Sentence("## Files to create\n\n- `<mention>`\n- `<mention>`", "codex"),
    Sentence("If the tests fail, modify `<mention>`.", "gemini"),
    Sentence("I would create `<mention>` only if we need it.", "german"),
    Sentence("Please create `<mention>` when you pick this up.", "codex"),
    Sentence("Proposed: `<mention>` (new file)", "gemini"),
    # negated
    Sentence("`<mention>` was not created.", "codex"),
    Sentence("No changes were made to `<mention>`.", "gemini"),
    Sentence("I did not touch `<mention>`.", "claude"),
    Sentence("## Files not modified\n\n- `<mention>`", "claude"),
    Sentence("`<mention>` is unchanged.", "german"),
    Sentence("Nothing in `<mention>` was modified.", "norwegian"),
    Sentence("There is no `<mention>` in this repository.", "gemini"),
    Sentence("~~Created `<mention>`~~", "hurried"),
    # quoted, exemplary, of others
    Sentence("> I created `<mention>`", "claude"),
    Sentence('The old document said "Created `<mention>`", which was wrong.', "codex"),
    Sentence("For example, `Created <mention>` would be a claim.", "german"),
    Sentence("## Template\n\n- Created `<mention>`", "gemini"),
    Sentence("```text\nCreated <mention>\n```", "hurried"),
    Sentence("<!-- Created `<mention>` -->", "hurried"),
    Sentence("In the previous project we had created `<mention>`.", "german"),
    # mentions
    Sentence("The bug is like the one in `<mention>`.", "codex"),
    Sentence("`<mention>` would have been an option.", "gemini"),
    Sentence("Error: Cannot find module `<mention>`", "hurried"),
    Sentence("- Output goes to `<mention>` at run time", "claude"),
    # words that look like files, commits or branches
    Sentence("Rebased onto `<remote>`.", "hurried"),
    Sentence("- Updated from `<remote>`", "codex"),
    Sentence("Released as `<tag>`.", "claude"),
    Sentence("## Files changed\n\n- imports now use `<alias>`", "claude"),
    Sentence("- Added `<package>` to the dependencies", "codex"),
    Sentence("- Installed `<package>`; updated the lock file", "gemini"),
    Sentence("## Migrations\n\n- Create a file such as `<placeholder>`", "claude"),
    Sentence("- Added `<placeholder>` naming to the guide", "codex"),
    Sentence("Deployed to `<host>`.", "gemini"),
    Sentence("- Updated DNS for `<host>`", "claude"),
    Sentence("## Files created\n\n- `<ignored>` (build output)", "codex"),
    Sentence("Session id: `<hex>`", "claude"),
    Sentence("Receipt `<hex>` was stored.", "gemini"),
    Sentence("| Digest | Image |\n|---|---|\n| `<hex>` | worker |", "codex"),
    Sentence("Container <hex> restarted twice.", "hurried"),
    Sentence("Trace id <hex>, request id <hex>", "norwegian"),
    Sentence("The colour is #<hex>.", "hurried"),
    Sentence("- Run `<command>` to start it", "codex"),
    Sentence("Delete the branch `feature/gone-<number>` when it is merged.", "codex"),
    Sentence("## Uncommitted changes\n\nNone: everything is committed, `<mention>` included.", "claude"),
    # written later, as above
    Sentence("Consider adding `<mention>`."),
    Sentence("`<mention>` needs to be created."),
    Sentence("I plan to delete `<mention>` tomorrow."),
    Sentence("We decided against creating `<mention>`."),
    Sentence("The tests in `<mention>` were skipped."),
    Sentence("Nobody has touched `<mention>` yet."),
    Sentence("I haven't updated `<mention>`."),
    Sentence("Don't modify `<mention>`."),
    Sentence("To reproduce: create `<mention>`, then run it."),
    Sentence("An earlier version had added `<mention>`, now reverted."),
    Sentence("If someone removed `<mention>`, restore it."),
    Sentence("## Recommended changes\n\n- Updated `<mention>` would be simpler"),
    Sentence("Was `<mention>` created? Unclear."),
    Sentence("It was suggested that `<mention>` be deleted."),
    Sentence("`<mention>` is created at run time by the server."),
    Sentence("This would have modified `<mention>`."),
    Sentence("Image digest: <hex>"),
    Sentence("Run id `<hex>` finished."),
    Sentence("Deployed commit to `<host>`."),
    Sentence("Add `<package>` and `<alias>` imports"),
)


class CountSentence(NamedTuple):
    """A passage and the test numbers it claims; none if it claims no result."""

    text: str
    numbers: dict[str, int]
    written: str = ""


def _counted(text: str, *numbers: int | None, written: str = "") -> CountSentence:
    names = ("total", "passed", "failed", "skipped")
    given = {name: number for name, number in zip(names, numbers, strict=False) if number is not None}
    return CountSentence(text, given, written)


COUNTS: Final = (
    _counted("113 of 114 tests pass.", 114, 113),
    _counted("5 of 6 tests failed.", 6, None, 5),
    _counted("236 passing, 51 failing", None, 236, 51, written="hurried"),
    _counted("**Tests:** 42/42 passing ✅", 42, 42, written="claude"),
    _counted("All 87 tests pass.", 87, 87, written="codex"),
    _counted("The full suite is green: 310 passed, 2 skipped in 14.2s", None, 310, None, 2, written="codex"),
    _counted("- Tests: 19 passed, 0 failed", None, 19, 0, written="codex"),
    _counted("There were 3 failing tests out of 61.", 61, None, 3, written="gemini"),
    _counted("Ran 55 tests, of which 54 passed and 1 was skipped.", 55, 54, None, 1, written="gemini"),
    _counted("| Suite | Passed | Failed |\n|---|---|---|\n| unit | 120 | 0 |\n| e2e | 14 | 2 |", None, 134, 2),
    _counted("| Metric | Value |\n|---|---|\n| Total | 77 |\n| Passed | 75 |\n| Failed | 2 |", 77, 75, 2),
    _counted("- Total: 90 tests\n- Passed: 88\n- Failed: 2", 90, 88, 2),
    _counted("=== 204 passed, 3 failed, 1 skipped in 9.81s ===", None, 204, 3, 1, written="hurried"),
    _counted("Tests run: 45, Failures: 1, Errors: 0, Skipped: 4", 45, None, 1, 4, written="hurried"),
    _counted("Test Suites: 9 passed, 9 total\nTests: 63 passed, 63 total", 63, 63, written="hurried"),
    _counted("It are 31 tests green and 1 test red.", None, 31, 1, written="german"),
    _counted("Unit tests (core, api): 12/12 passed", 12, 12, written="claude"),
    _counted("Passed + skipped: 48 passed, 2 skipped", None, 48, None, 2, written="norwegian"),
    _counted("pytest → 1,031 passed", None, 1031, written="codex"),
    _counted("No test failed; 26 passed.", None, 26, 0, written="german"),
    _counted("All 44 tests pass.\n\n(In detail: 41 passed, 3 failed.)", None, 41, 3),
    # no results
    _counted("- flake8: 18 errors in tests/, agreed to ignore"),
    _counted("Expected: 40 passed, 0 failed", written="codex"),
    _counted("Target: 100 tests passing by Friday.", written="hurried"),
    _counted("Before this change, 12 tests failed.", written="gemini"),
    _counted("Previously 8 of 9 tests failed.", written="claude"),
    _counted("The endpoint answered 404 errors for old ids.", written="gemini"),
    _counted("eslint: 21 errors, 3 warnings", written="codex"),
    _counted("The invoice over 500 failed to import.", written="german"),
    _counted("For example `3 passed, 1 failed` is read as a result.", written="norwegian"),
    _counted("HTTP 500 errors: 3", written="hurried"),
    _counted("ruff reports 7 errors.", written="codex"),
    _counted("We need 30 tests passing before release.", written="norwegian"),
    _counted("Run 3 failed because the runner was full.", written="claude"),
    _counted("Health of production: 200 OK"),
    _counted("Make sure all 12 tests pass before you tag."),
    _counted("Mail: 7 failed deliveries to the old address."),
)


class WordSentence(NamedTuple):
    """A head of a document: the status its author gives, as written, and how it sorts."""

    text: str
    words: str
    sort: str


WORDS: Final = (
    WordSentence("**Status:** ✅ COMPLETE", "COMPLETE", "good"),
    WordSentence("Status: done", "done", "good"),
    WordSentence("**QA Decision:** FAIL", "FAIL", "bad"),
    WordSentence("## QA Decision: ❌ FAIL", "FAIL", "bad"),
    WordSentence("**Verdict**: REQUEST CHANGES", "REQUEST CHANGES", "bad"),
    WordSentence("Decision: Rejected, see below", "Rejected", "bad"),
    WordSentence("**Review:** Approved with comments", "Approved", "good"),
    WordSentence("Block status: BLOCKED by the vendor", "BLOCKED", "bad"),
    WordSentence("---\nstatus: in-progress\n---", "in-progress", "under way"),
    WordSentence("---\nqa_decision: FAIL\n---", "FAIL", "bad"),
    WordSentence("![status](https://img.shields.io/badge/status-failing-red)", "failing", "bad"),
    WordSentence("**Status**: 🚧 Work in progress", "Work in progress", "under way"),
    WordSentence("**Status:** Not ready for review", "Not ready", "bad"),
    WordSentence("Status: ready for review", "ready for review", "good"),
    WordSentence("**Overall result:** PARTIAL, two suites left", "PARTIAL", "under way"),
    WordSentence("**Status**: 🔴 Broken", "Broken", "bad"),
    WordSentence("Status: purple", "purple", "unknown"),
    WordSentence("| Field | Value |\n|---|---|\n| Status | FAILED |", "FAILED", "bad"),
    WordSentence("- **Gate decision**: NO-GO", "NO-GO", "bad"),
    WordSentence("Review verdict: NEEDS WORK", "NEEDS WORK", "bad"),
    WordSentence("**Status:** Did not pass", "Did not pass", "bad"),
    WordSentence("## Status\n\nPaused until Monday", "Paused", "under way"),
)


class BlockerSentence(NamedTuple):
    """A passage about blockers, and how many are open."""

    text: str
    open: int


BLOCKERS: Final = (
    BlockerSentence("## Blockers\n\nNothing blocking.", 0),
    BlockerSentence("## Blockers\n\n0", 0),
    BlockerSentence("## Blockers\n\nNone", 0),
    BlockerSentence("**Blockers:** none at this time", 0),
    BlockerSentence("## Blockers\n\n- [x] Database password", 0),
    BlockerSentence("## Blockers\n\n- ✅ Database: connected", 0),
    BlockerSentence("## Blockers\n\nThere are no blockers.", 0),
    BlockerSentence("## Blockers\n\n- ~~Waiting for the key~~", 0),
    BlockerSentence("## Blockers\n\n| Blocker | Status |\n|---|---|\n| Key | resolved |", 0),
    BlockerSentence("## Blockers\n\nNo known issues.", 0),
    BlockerSentence("## Blocked\n\n- n/a", 0),
    BlockerSentence("Blockers: 0", 0),
    BlockerSentence("## Blockers\n\nAll clear 🎉", 0),
    BlockerSentence("## Blockers\n\nKeine.", 0),
    BlockerSentence("## Blockers\n\n- The API key is missing", 1),
    BlockerSentence("**Blocked by:** the vendor's outage", 1),
    BlockerSentence("## Open blockers\n\n1. Staging is down\n2. No test data", 2),
    BlockerSentence("## Blockers\n\n- [ ] Database password", 1),
    BlockerSentence("## Blockers\n\n| Blocker | Status |\n|---|---|\n| Key | open |", 1),
    BlockerSentence("## Blockers\n\n❌ The build is red", 1),
    BlockerSentence("## Blockers\n\nWaiting for access to the cluster.", 1),
)
