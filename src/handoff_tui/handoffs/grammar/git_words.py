"""Commits, branches, and the state of the work tree, as sentences name them. Pure."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.grammar import stance
from handoff_tui.handoffs.grammar.claim_list import ClaimList, add_branch
from handoff_tui.handoffs.grammar.clauses import find_clause
from handoff_tui.handoffs.grammar.entries import lead_length
from handoff_tui.handoffs.grammar.lexicon import DIRTY, Form, find_verb
from handoff_tui.handoffs.grammar.roles import HeadingContext, Role
from handoff_tui.handoffs.grammar.tokens import COMMIT
from handoff_tui.handoffs.reading.markdown import parse_field

_INTRODUCES: Final = compile_later(r"[(\u2014\u2013:-]\s*`?$")

_CLEAN: Final = compile_later(
    r"\b(?:work(?:ing)?[ -]?(?:tree|copy|dir(?:ectory)?)|git status|the tree|git tree)\W{1,4}(?:is |was |status "
    r"|state )?(?:now |completely )?(?:clean|empty)\b|\bnothing (?:is |was )?(?:to commit|(?:left )?uncommitted)\b"
    r"|\bno (?:un-?committed|unstaged|pending|local|outstanding) (?:changes|files|work|edits|modifications)\b"
    r"|\b(?:everything|all (?:changes|work|files|my changes|of it|edits)|all) (?:is|are|has been|have been|was"
    r"|were) (?:now )?(?:committed|checked in)\b|^\W*clean work(?:ing)? (?:tree|copy|directory)\b|^\W*clean\W*$",
    re.IGNORECASE,
)
_ORDERED: Final = compile_later(
    r"\b(?:ensure|make sure|verify|check|keep|leave|confirm|start (?:with|from)|until|with)\b", re.IGNORECASE
)
_ELSEWHERE: Final = compile_later(
    r"\bupstream\b|\bgit(?:hub|lab)\.com\b|\b(?:another|other|their|its own) repo|\bvendored\b", re.IGNORECASE
)
_COMMIT_WORD: Final = compile_later(
    r"\bcommit+(?:s|ed|ting)?\b|\bHEAD\b|\bpush(?:ed)?\b|\bmerged?\b|\bcherry-?pick|\brevert(?:s|ed)?\b|\blanded\b"
    r"|\b(?:fixed|done|shipped|added|introduced|implemented|resolved|addressed|removed|squashed|rebased|built|tagged"
    r"|bisected|broken|changed|went in|delivered)(?: \w+)? (?:in|by|with|as|at|to|on|onto|down to)\b"
    r"|\brev(?:ision)?\b|\bgit (?:sha|log|show|diff|checkout|reset|range)\b|\bsha\b|\btip\b|\bchangeset\b"
    r"|\bdepends[- ]on\b|コミット|提交|커밋|\bкоммит\w*|\bbase(?:d on)?\b|\bparent\b"
    r"|\bFOUND\b|\bmain (?:is )?(?:now )?at\b|\bafter\b.*\bat\b|\bas of\b|^\W*refs?\b\W*:",
    re.IGNORECASE,
)
_NO_COMMIT: Final = compile_later(
    r"(?<!commit )(?<!commit-)\b(?:ids?|digests?|checksums?|receipts?|containers?|images?|sessions?|traces?|requests?"
    r"|tokens?|keys?|uuids?|builds?|deployments?|runs?|jobs?|tasks?|md5|etags?|hash(?:es)? of|nonces?|sha-?256|blobs?"
    r"|trees?|snapshots?|colou?rs?|tx|transactions?|addresses|passwords?|secrets?|hint|orders?|invoices?|tickets?"
    r"|users?|accounts?|artifacts?|pods?|versions?|releases?|layers?|correlation|cookies?|serials?|hex|crc32?"
    r"|fingerprints?|error(?: code)?s?|codes?)\b(?:\s+(?:is|was|of|no\.?|number))?[\s:`'\"(#=*]*$|\b(?:checksums?"
    r"|digests?|fingerprints?|md5|sha-?\d+|hash(?:es)?) (?:of|for) \S+[\s:`'\"(#=*]*$",
    re.IGNORECASE,
)
_ONLY_COMMITS: Final = compile_later(r"^(?:[`*\s,;&.]|and\b|\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b)+$")
_NEXT_COMMIT: Final = compile_later(r"^[`*]*\s*(?:and|to|\.\.|,|&|\+)?\s*(?:and\s+)?[`*]*$")
_ON_BRANCH: Final = compile_later(r"^[`*)\s,]+(?:on|in|of)\s+[`*]{1,3}[\w.-]+/")
_NEXT_WORD: Final = compile_later(r"[`*]*\s+([a-z]+)\b")
_OTHER_ID: Final = compile_later(
    r"\b(?:request|trace|session|container|image|token|receipt|order|invoice|ticket|correlation|transaction|job|run)"
    r" ids?\b|\b(?:(?<!commit )hashe?|digest|uuid|nonce|etag|colou?r|checksum|fingerprint|api key)s?\b",
    re.IGNORECASE,
)
"""Somewhere in its clause: the hex word isn't a commit, whatever the heading."""
_IN_COMMIT: Final = compile_later(
    r"(?:\b(?:in|at|on|into|from|between|since|as|by|with|after|before|until|onto|reviewed|see|cf\.?|siehe|vgl\.?|voir|véase)|@)\s+[`*(]*$",
    re.IGNORECASE,
)
_SUBJECT: Final = compile_later(
    r"^[`*)]*[:\s\u2013\u2014-]+(?:feat|fix|chore|docs?|refactor|tests?|perf|style|build|ci)(?:\([^)]*\))?!?:\s"
)
_ENDS_ITEM: Final = compile_later(r"^[`*_)\]\s]*(?:\([a-z][\w ./:-]{0,30}\))?[\s.,;]*$")
_PREFIX: Final = (
    r"(?:feature|feat|fix|bugfix|hotfix|chore|release|docs?|refactor|wip|claude|codex|agent|task|ci|perf|experiment"
    r"|spike|issue|dev|story|epic|work)"
)
_BRANCH: Final = compile_later(
    r"\bbranch(?:es)?\b(?: is| was| name| named| called)?[\s:]{1,3}[`*]{1,3}(?P<after>[^`*\s]+)[`*]|\b(?:on|to"
    r"|in|from|onto|against)\s+(?:the\s+|our\s+|my\s+)?[`*]{1,3}(?P<before>[^`*\s]+)[`*]{1,3}\s+(?:\w+ )?branch\b"
    r"|\b(?:pushed|committed|landed|based|rebased|sits?|lives?|is|are|merged|work(?:ed|ing)?|checked out) (?:\w+ ){0,2}"
    r"(?:to|on|onto|in|into)\s+[`*]{1,3}(?P<pushed>(?:" + _PREFIX + r"/[^`*\s]+|main|master|develop|dev|trunk))[`*]"
    r"|\b(?:on|to|onto|in|from) (?:the )?(?:branch )?(?P<bare>" + _PREFIX + r"/[\w./-]*[\w-])(?![\w/]|\.\w)"
    r"|\bbranch(?:es)?(?: is| was| name|:)* (?P<named>" + _PREFIX + r"/[\w./-]*[\w-])"
    r"|\b(?:pr|mr|pull request|merge request)\b.{0,20}? from [`*]{1,3}(?P<asked>[^`*\s]+)[`*]"
    r"|\bpushed [`*]{1,3}(?P<own>" + _PREFIX + r"/[^`*\s]+)[`*]"
    r"|^\W*[`*]{1,3}(?P<subject>" + _PREFIX + r"/[^`*\s.]+)[`*]{1,3} (?:is|was|has|holds|waits|contains|lives)\b"
    r"|\b(?:committed|pushed|merged|landed|rebased)\b[^.;]*? (?:to|on|onto|into) (?P<trunk>main|master|develop"
    r"|trunk)\b|[0-9a-f]{7}[`*)\s]+on [`*]{1,3}(?P<at>[^`*\s]+)[`*]"
    r"|\b(?:on|into|from|off|onto|against|target(?:s|ed|ing)?|pushed|branche|rama|zweig|ramo|ブランチは?|分支|브랜치|ветк\w)"
    r"\W{1,3}[`*]{1,3}(?P<near>(?:feat(?:ure)?|(?:bug|hot)?fix|chore|release|refactor|wip|spike|story|epic|claude|codex|experiment)/"
    r"[^`*\s]+|main|master|develop|trunk)[`*]"
    r"|\bon\W{1,3}[`*]{1,3}(?P<there>(?:origin|upstream)/[^`*\s]+)[`*]"
    r"|\bmerged (?:in)?to\W{1,4}[`*]{1,3}(?P<target>[^`*\s]+)[`*]|\bpushed to\s+[`*]{1,3}(?P<to>[^`*\s]+)[`*]"
    r"|\bon branch (?P<status>[\w./-]*[\w-])|^\W*git\W+(?:currently )?on (?:branch )?[`*]{0,3}(?P<git>[\w./-]*[\w-])",
    re.IGNORECASE,
)
_ABOUT_BRANCHES: Final = compile_later(
    r"\bbranch|\b(?:pr|mr|pull request|merge request)s?\b|\bmerg(?:ed?|es|ing)\b|\brebas|\bpush|\bahead of\b|\bbehind\b"
    r"|\bswitched\b|\bchecked out\b|\bcherry-?pick|\btracking\b",
    re.IGNORECASE,
)
_BRANCH_LIKE: Final = compile_later(
    r"[`*'\"]{1,3}(?P<like>(?:feat(?:ure)?|(?:bug|hot)?fix|chore|release|refactor|wip|spike|story|epic|claude|codex)/"
    r"[^`*'\"\s]+|main|master|develop|trunk)[`*'\"]"
)
"""What is named like a branch is one if its sentence is about branches."""
_LISTED_BRANCH: Final = compile_later(
    r"^[\s*_`•-]*([A-Za-z0-9][\w./-]*[\w-])[`*_]*\s*(?:$|[:(,\u2014\u2013-]|(?:lives|is|was|has|at|exists|holds)\b)"
)
_REMOTE_BRANCH: Final = compile_later(
    r"\b(?:up[ -]to[ -]date|level|even|in sync|synced|pushed|tracks|tracking|ahead of|behind|merged|based on|against"
    r"|lives|published|available|exists|sits|is)\b[^.;]{0,24}?`?\b((?:origin|upstream)/[\w./-]*[\w-])",
    re.IGNORECASE,
)
_ORDER: Final = compile_later(
    r"^\W*(?:delete|create|merge|switch|check ?out|rebase|push|make|use|open|start|cut|work(?! (?:is|was|has"
    r"|on it)\b)|branch off|pull)\b",
    re.IGNORECASE,
)
_BRANCH_GONE: Final = compile_later(
    r"^[^`.;]*\b(?:deleted|removed|gone|pruned|closed|(?:will|to|should|could|can|may|might) be"
    r" (?:\w+ )?(?:opened|created|cut|made|started|named|called|pushed)|(?:does|did)(?: not|n['\u2019]t) exist)\b",
    re.IGNORECASE,
)
"""What stands behind a branch that isn't there any more, or not yet."""


def read_commits(claims: ClaimList, context: HeadingContext, line: int, text: str, *, ticked: bool) -> None:
    """Hex words that the words around them, the heading, or their place in an entry say are commits."""
    accepted = -1
    field = parse_field(text[lead_length(text) :])
    is_list = field is not None and _ONLY_COMMITS.match(field[1]) is not None
    for match in COMMIT.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        clause = text[find_clause(text, 0, match.start()) : match.start()]
        follows = accepted >= 0 and _NEXT_COMMIT.match(text[accepted : match.start()]) is not None
        named = context.commits or is_list or follows or _COMMIT_WORD.search(text) is not None
        named = named or ("`" in before[-1:] and _ON_BRANCH.match(after) is not None)
        lead = lead_length(text)
        leads = before[lead:].strip("`*( ") == "" and "`" in before + after[:1]
        is_log = (leads and _SUBJECT.match(after) is not None) or (not before[lead:] and _tells_deed(after))
        lies_in = _IN_COMMIT.search(before) is not None and not _NO_COMMIT.search(before.rstrip()[:-4])
        closes = _INTRODUCES.search(before) is not None and _ENDS_ITEM.match(after) is not None
        if (
            not (named or ((ticked or "`" in before[-1:]) and closes) or (ticked and leads) or is_log or lies_in)
            or _NO_COMMIT.search(before)
            or (_OTHER_ID.search(clause) and not _COMMIT_WORD.search(clause))
            or _ELSEWHERE.search(text)
            or (not stance.is_assertion(clause) and not is_list)
            or not stance.is_unconditional(text)
        ):
            continue
        accepted = match.end()
        claims.add(ClaimKind.COMMIT, line, text.strip(), value=match.group())


def _tells_deed(after: str) -> bool:
    """Whether a verb follows a hex word that begins a sentence: abc1234 adds the model."""
    word = _NEXT_WORD.match(after)
    verb = find_verb(word[1]) if word is not None else None
    return verb is not None and verb.form in {Form.THIRD, Form.PAST}


def read_branch(claims: ClaimList, context: HeadingContext, line: int, sentence: str, *, ticked: bool) -> None:  # noqa: ARG001 - as its neighbours
    if _ORDER.match(sentence):
        return
    leading = _LISTED_BRANCH.match(sentence) if context.listed is Role.BRANCH else None
    looks = (_BRANCH, _REMOTE_BRANCH, *([_BRANCH_LIKE] if _ABOUT_BRANCHES.search(sentence) else []))
    named = [leading] if leading else [found for look in looks for found in look.finditer(sentence)]
    for found in named:
        before = sentence[: found.start()]
        if found is not leading and not stance.is_assertion(before[find_clause(sentence, 0, found.start()) :]):
            continue
        if stance.is_unconditional(before) and not _BRANCH_GONE.search(sentence[found.end() :]):
            add_branch(claims, line, sentence.strip(), next(group for group in found.groups() if group))


def read_clean(claims: ClaimList, context: HeadingContext, line: int, sentence: str, *, ticked: bool) -> None:  # noqa: ARG001 - as its neighbours
    match = _CLEAN.search(sentence)
    if (
        match is None
        or _ORDERED.search(sentence[: match.start()])
        or not stance.is_assertion(sentence[: match.start()])
    ):
        return
    if match.group().strip(" .*_`-").lower() == "clean" and context.listed not in {DIRTY, Role.CLEAN}:
        return
    if re.search(r"\bor\b|\bexcept|\bapart from|\bother than|\bbut\b", sentence[match.end() :]):
        return
    claims.add(DIRTY, line, sentence.strip(), value=0)
