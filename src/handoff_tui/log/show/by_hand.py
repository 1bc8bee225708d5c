"""Texts for verifying the log without handoff-tui: a script, and what goes with extracts and bundles."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.core.namespace import NAMESPACE
from handoff_tui.log.show.view import EntryView
from handoff_tui.system.installation import read_shipped_text

README_NAME = "README.md"
SCRIPT_NAME = "verify.sh"


def read_script() -> str:
    """Returns the script that checks every entry of a log with ordinary tools; docs/verify-by-hand.md has it too."""
    return read_shipped_text("log/show/verify.sh")


def build_bundle_texts() -> dict[str, str]:
    """Returns the texts of every bundle, by file name."""
    return {README_NAME: read_shipped_text("log/show/bundle.md"), SCRIPT_NAME: read_script()}


def build_extract_readme(view: EntryView, files: Sequence[str]) -> str:
    """Says how to check one extracted entry with ordinary tools."""
    digest = view.row.id.removeprefix("sha256:")
    lines = [f"# Entry {view.row.id}", "", f"Verification says: {view.row.state}. {view.row.why}".rstrip(), ""]
    lines += ["## The name is the hash of the file", "", f"    echo '{digest}  entry.intoto.jsonl' | sha256sum -c", ""]
    if "payload.json" not in files:
        return "\n".join([*lines, "The file is not an entry, so there is nothing more to check.", ""])
    lines += [
        "## The payload is what the file carries, and the PAE is made of it",
        "",
        "    jq -j .payload entry.intoto.jsonl | base64 -d | cmp - payload.json",
        "    printf 'DSSEv1 28 application/vnd.in-toto+json %d ' \"$(wc -c < payload.json)\" |",
        "      cat - payload.json | cmp - entry.pae",
        "    jq . payload.json",
        "",
        "## Each signature is over the PAE, by a key of the policy",
        "",
        *_list_signature_commands(view, files),
        "",
        "`allowed_signers` is what the policy in force for this entry carries; of a policy entry, its own text, and",
        "the one before it ends in `.previous`. Whether that policy is the right one is a question about all entries:",
        "`handoff-tui log verify`, or the script in docs/verify-by-hand.md.",
        "",
    ]
    return "\n".join(lines)


def _list_signature_commands(view: EntryView, files: Sequence[str]) -> list[str]:
    at = "".join(character for character in view.row.time or "" if character.isdigit())
    lines: list[str] = []
    for number, signature in enumerate(view.signatures, start=1):
        if signature.principal is None or "allowed_signers" not in files:
            lines += [
                f"    # {signature.keyid} is in no policy that is known here; this asks only whether it fits",
                f"    ssh-keygen -Y check-novalidate -n {NAMESPACE} -s signature-{number}.sig < entry.pae",
            ]
            continue
        signers = "allowed_signers.previous" if signature.former else "allowed_signers"
        lines.append(
            f"    TZ=UTC ssh-keygen -Y verify -O verify-time={at} -f {signers} "
            f"-I {signature.principal} -n {NAMESPACE} -s signature-{number}.sig < entry.pae"
        )
    return lines
