"""The table of rules. To add one: a file in rules/, and a line here."""

from __future__ import annotations

from handoff_tui.checks.rule import Rule
from handoff_tui.checks.rules.builder.archives import ARCHIVES_REPRODUCIBLE
from handoff_tui.checks.rules.builder.counts import (
    DROPPED_COUNTS_EXPLAINED,
    MINIMUM_TESTS_REACHED,
    NO_NEW_FAILURES,
    STATUS_MATCHES_ITS_NUMBERS,
)
from handoff_tui.checks.rules.builder.document_shape import (
    NAMES_FIT_THE_STANDARD,
    RESULTS_SECTIONS_PRESENT,
    SPEC_SECTIONS_IN_ORDER,
)
from handoff_tui.checks.rules.builder.hashes_hold import HASHES_HOLD
from handoff_tui.checks.rules.builder.manifests import ASSET_HASHES_MATCH, MANIFEST_SHAPE_FITS
from handoff_tui.checks.rules.builder.package_files import PACKAGES_ARE_CLEAN, PACKAGES_OWN_THEIR_FILES
from handoff_tui.checks.rules.builder.question_gate import QUESTION_GATE_PASSED
from handoff_tui.checks.rules.builder.results import (
    BASELINE_RECORDED,
    CLEAN_ROOM_RECORDED,
    FULL_REGRESSION_RECORDED,
    REVIEWER_CHECKLIST_COMPLETE,
)
from handoff_tui.checks.rules.builder.wave_is_integrated import WAVE_IS_INTEGRATED
from handoff_tui.checks.rules.every.approvals_are_real import APPROVALS_ARE_REAL
from handoff_tui.checks.rules.every.ci_unchanged import CI_UNCHANGED
from handoff_tui.checks.rules.every.claims_and_problems import CLAIMS_HOLD, PROBLEMS_ABSENT
from handoff_tui.checks.rules.every.configuration_unchanged import CHECK_CONFIGURATION_UNCHANGED, SETTINGS_UNCHANGED
from handoff_tui.checks.rules.every.tests_not_weakened import ASSERTIONS_NOT_WEAKENED, NO_NEW_SKIPS, TESTS_NOT_DELETED
from handoff_tui.checks.rules.every.thresholds_not_lowered import THRESHOLDS_NOT_LOWERED
from handoff_tui.checks.rules.hub.deploy_has_a_human import DEPLOY_HAS_A_HUMAN
from handoff_tui.checks.rules.hub.lifecycle_legal import LIFECYCLE_LEGAL
from handoff_tui.checks.rules.hub.pass_holds_up import PASS_HOLDS_UP
from handoff_tui.checks.rules.hub.proofs import PROOFS_EXIST_AND_MATCH
from handoff_tui.checks.rules.hub.reports import BUGS_REPORT_CLEARS, SECURITY_REPORT_CLEARS
from handoff_tui.checks.rules.hub.run_complete_when_tasks_are import RUN_COMPLETE_WHEN_TASKS_ARE
from handoff_tui.checks.rules.mosaic.briefing_and_message import BRIEFING_FRESH, HANDOFF_MESSAGE_SAYS_SOMETHING
from handoff_tui.checks.rules.mosaic.changes_are_documented import CHANGES_ARE_DOCUMENTED
from handoff_tui.checks.rules.mosaic.claimed_commits_match_git import CLAIMED_COMMITS_MATCH_GIT
from handoff_tui.checks.rules.mosaic.deployment import DEPLOYMENT_ANSWERS, PRODUCTION_STATE_DETERMINABLE
from handoff_tui.checks.rules.mosaic.nothing_unpushed import NOTHING_UNPUSHED
from handoff_tui.checks.rules.mosaic.referenced_files_exist import REFERENCED_FILES_EXIST
from handoff_tui.checks.rules.mosaic.resolved_blockers_have_evidence import RESOLVED_BLOCKERS_HAVE_EVIDENCE
from handoff_tui.checks.rules.mosaic.session_gate_wired import SESSION_GATE_WIRED
from handoff_tui.checks.rules.mosaic.state_files import STATE_FILES_EXIST, STATE_FILES_PARSE
from handoff_tui.checks.rules.procedure.agent_ready import AGENT_READY
from handoff_tui.checks.rules.procedure.context_transfer_complete import CONTEXT_TRANSFER_COMPLETE
from handoff_tui.checks.rules.procedure.data_intact import DATA_INTACT
from handoff_tui.checks.rules.procedure.source_phase_complete import SOURCE_PHASE_COMPLETE
from handoff_tui.checks.rules.procedure.state_consistent import STATE_CONSISTENT
from handoff_tui.checks.rules.procedure.target_resources import (
    CONNECTIONS_STABLE,
    PERMISSIONS_GRANTED,
    TARGET_RESOURCES_PRESENT,
)
from handoff_tui.checks.rules.public.agrees_with_git import NAMED_COMMITS_EXIST, UNCOMMITTED_FILES_AGREE
from handoff_tui.checks.rules.public.waiting_for_people import CHECKPOINT_CLEARED, HUMAN_ACTIONS_CLEARED
from handoff_tui.checks.rules.tdd.failing_tests import GREEN_HAS_NO_FAILING_TEST, RED_HAS_ONE_FAILING_TEST
from handoff_tui.checks.rules.tdd.handoff_notes_parse import HANDOFF_NOTES_PARSE
from handoff_tui.checks.rules.tdd.lock_not_stale import LOCK_NOT_STALE
from handoff_tui.checks.rules.tdd.phases import COMMIT_PREFIX_FITS_PHASE, PHASE_ORDER_LEGAL, RETRY_BUDGET_KEPT
from handoff_tui.checks.rules.tdd.test_list_consistent import TEST_LIST_CONSISTENT

RULES: tuple[Rule, ...] = (
    BRIEFING_FRESH,
    CHANGES_ARE_DOCUMENTED,
    CLAIMED_COMMITS_MATCH_GIT,
    DEPLOYMENT_ANSWERS,
    HANDOFF_MESSAGE_SAYS_SOMETHING,
    NOTHING_UNPUSHED,
    PRODUCTION_STATE_DETERMINABLE,
    REFERENCED_FILES_EXIST,
    RESOLVED_BLOCKERS_HAVE_EVIDENCE,
    SESSION_GATE_WIRED,
    STATE_FILES_EXIST,
    STATE_FILES_PARSE,
    ARCHIVES_REPRODUCIBLE,
    ASSET_HASHES_MATCH,
    BASELINE_RECORDED,
    CLEAN_ROOM_RECORDED,
    DROPPED_COUNTS_EXPLAINED,
    FULL_REGRESSION_RECORDED,
    HASHES_HOLD,
    MANIFEST_SHAPE_FITS,
    MINIMUM_TESTS_REACHED,
    NAMES_FIT_THE_STANDARD,
    NO_NEW_FAILURES,
    PACKAGES_ARE_CLEAN,
    PACKAGES_OWN_THEIR_FILES,
    QUESTION_GATE_PASSED,
    RESULTS_SECTIONS_PRESENT,
    REVIEWER_CHECKLIST_COMPLETE,
    SPEC_SECTIONS_IN_ORDER,
    STATUS_MATCHES_ITS_NUMBERS,
    WAVE_IS_INTEGRATED,
    AGENT_READY,
    CONNECTIONS_STABLE,
    CONTEXT_TRANSFER_COMPLETE,
    DATA_INTACT,
    PERMISSIONS_GRANTED,
    SOURCE_PHASE_COMPLETE,
    STATE_CONSISTENT,
    TARGET_RESOURCES_PRESENT,
    COMMIT_PREFIX_FITS_PHASE,
    GREEN_HAS_NO_FAILING_TEST,
    HANDOFF_NOTES_PARSE,
    LOCK_NOT_STALE,
    PHASE_ORDER_LEGAL,
    RED_HAS_ONE_FAILING_TEST,
    RETRY_BUDGET_KEPT,
    TEST_LIST_CONSISTENT,
    BUGS_REPORT_CLEARS,
    DEPLOY_HAS_A_HUMAN,
    LIFECYCLE_LEGAL,
    PASS_HOLDS_UP,
    PROOFS_EXIST_AND_MATCH,
    RUN_COMPLETE_WHEN_TASKS_ARE,
    SECURITY_REPORT_CLEARS,
    CHECKPOINT_CLEARED,
    HUMAN_ACTIONS_CLEARED,
    NAMED_COMMITS_EXIST,
    UNCOMMITTED_FILES_AGREE,
    APPROVALS_ARE_REAL,
    ASSERTIONS_NOT_WEAKENED,
    CHECK_CONFIGURATION_UNCHANGED,
    CI_UNCHANGED,
    CLAIMS_HOLD,
    NO_NEW_SKIPS,
    PROBLEMS_ABSENT,
    SETTINGS_UNCHANGED,
    TESTS_NOT_DELETED,
    THRESHOLDS_NOT_LOWERED,
)
"""In the order of their systems."""
