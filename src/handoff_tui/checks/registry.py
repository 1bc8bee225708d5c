"""The table of rules. To add one: a file in rules/, and a line here."""

from __future__ import annotations

from handoff_tui.checks.contract import Rule
from handoff_tui.checks.rules.builder.archives_reproducible import ARCHIVES_REPRODUCIBLE
from handoff_tui.checks.rules.builder.asset_hashes_match import ASSET_HASHES_MATCH
from handoff_tui.checks.rules.builder.baseline_recorded import BASELINE_RECORDED
from handoff_tui.checks.rules.builder.clean_room_recorded import CLEAN_ROOM_RECORDED
from handoff_tui.checks.rules.builder.dropped_counts_explained import DROPPED_COUNTS_EXPLAINED
from handoff_tui.checks.rules.builder.full_regression_recorded import FULL_REGRESSION_RECORDED
from handoff_tui.checks.rules.builder.hashes_hold import HASHES_HOLD
from handoff_tui.checks.rules.builder.manifest_shape_fits import MANIFEST_SHAPE_FITS
from handoff_tui.checks.rules.builder.minimum_tests_reached import MINIMUM_TESTS_REACHED
from handoff_tui.checks.rules.builder.names_fit_the_standard import NAMES_FIT_THE_STANDARD
from handoff_tui.checks.rules.builder.no_new_failures import NO_NEW_FAILURES
from handoff_tui.checks.rules.builder.packages_are_clean import PACKAGES_ARE_CLEAN
from handoff_tui.checks.rules.builder.packages_own_their_files import PACKAGES_OWN_THEIR_FILES
from handoff_tui.checks.rules.builder.question_gate_passed import QUESTION_GATE_PASSED
from handoff_tui.checks.rules.builder.results_sections_present import RESULTS_SECTIONS_PRESENT
from handoff_tui.checks.rules.builder.reviewer_checklist_complete import REVIEWER_CHECKLIST_COMPLETE
from handoff_tui.checks.rules.builder.spec_sections_in_order import SPEC_SECTIONS_IN_ORDER
from handoff_tui.checks.rules.builder.status_matches_its_numbers import STATUS_MATCHES_ITS_NUMBERS
from handoff_tui.checks.rules.builder.wave_is_integrated import WAVE_IS_INTEGRATED
from handoff_tui.checks.rules.every.approvals_are_real import APPROVALS_ARE_REAL
from handoff_tui.checks.rules.every.assertions_not_weakened import ASSERTIONS_NOT_WEAKENED
from handoff_tui.checks.rules.every.check_configuration_unchanged import CHECK_CONFIGURATION_UNCHANGED
from handoff_tui.checks.rules.every.ci_unchanged import CI_UNCHANGED
from handoff_tui.checks.rules.every.claims_hold import CLAIMS_HOLD
from handoff_tui.checks.rules.every.no_new_skips import NO_NEW_SKIPS
from handoff_tui.checks.rules.every.problems_absent import PROBLEMS_ABSENT
from handoff_tui.checks.rules.every.settings_unchanged import SETTINGS_UNCHANGED
from handoff_tui.checks.rules.every.tests_not_deleted import TESTS_NOT_DELETED
from handoff_tui.checks.rules.every.thresholds_not_lowered import THRESHOLDS_NOT_LOWERED
from handoff_tui.checks.rules.hub.bugs_report_clears import BUGS_REPORT_CLEARS
from handoff_tui.checks.rules.hub.deploy_has_a_human import DEPLOY_HAS_A_HUMAN
from handoff_tui.checks.rules.hub.lifecycle_legal import LIFECYCLE_LEGAL
from handoff_tui.checks.rules.hub.pass_holds_up import PASS_HOLDS_UP
from handoff_tui.checks.rules.hub.proofs_exist_and_match import PROOFS_EXIST_AND_MATCH
from handoff_tui.checks.rules.hub.run_complete_when_tasks_are import RUN_COMPLETE_WHEN_TASKS_ARE
from handoff_tui.checks.rules.hub.security_report_clears import SECURITY_REPORT_CLEARS
from handoff_tui.checks.rules.mosaic.briefing_fresh import BRIEFING_FRESH
from handoff_tui.checks.rules.mosaic.changes_are_documented import CHANGES_ARE_DOCUMENTED
from handoff_tui.checks.rules.mosaic.claimed_commits_match_git import CLAIMED_COMMITS_MATCH_GIT
from handoff_tui.checks.rules.mosaic.deployment_answers import DEPLOYMENT_ANSWERS
from handoff_tui.checks.rules.mosaic.handoff_message_says_something import HANDOFF_MESSAGE_SAYS_SOMETHING
from handoff_tui.checks.rules.mosaic.nothing_unpushed import NOTHING_UNPUSHED
from handoff_tui.checks.rules.mosaic.production_state_determinable import PRODUCTION_STATE_DETERMINABLE
from handoff_tui.checks.rules.mosaic.referenced_files_exist import REFERENCED_FILES_EXIST
from handoff_tui.checks.rules.mosaic.resolved_blockers_have_evidence import RESOLVED_BLOCKERS_HAVE_EVIDENCE
from handoff_tui.checks.rules.mosaic.session_gate_wired import SESSION_GATE_WIRED
from handoff_tui.checks.rules.mosaic.state_files_exist import STATE_FILES_EXIST
from handoff_tui.checks.rules.mosaic.state_files_parse import STATE_FILES_PARSE
from handoff_tui.checks.rules.procedure.agent_ready import AGENT_READY
from handoff_tui.checks.rules.procedure.connections_stable import CONNECTIONS_STABLE
from handoff_tui.checks.rules.procedure.context_transfer_complete import CONTEXT_TRANSFER_COMPLETE
from handoff_tui.checks.rules.procedure.data_intact import DATA_INTACT
from handoff_tui.checks.rules.procedure.permissions_granted import PERMISSIONS_GRANTED
from handoff_tui.checks.rules.procedure.source_phase_complete import SOURCE_PHASE_COMPLETE
from handoff_tui.checks.rules.procedure.state_consistent import STATE_CONSISTENT
from handoff_tui.checks.rules.procedure.target_resources_present import TARGET_RESOURCES_PRESENT
from handoff_tui.checks.rules.public.checkpoint_cleared import CHECKPOINT_CLEARED
from handoff_tui.checks.rules.public.human_actions_cleared import HUMAN_ACTIONS_CLEARED
from handoff_tui.checks.rules.public.named_commits_exist import NAMED_COMMITS_EXIST
from handoff_tui.checks.rules.public.uncommitted_files_agree import UNCOMMITTED_FILES_AGREE
from handoff_tui.checks.rules.tdd.commit_prefix_fits_phase import COMMIT_PREFIX_FITS_PHASE
from handoff_tui.checks.rules.tdd.green_has_no_failing_test import GREEN_HAS_NO_FAILING_TEST
from handoff_tui.checks.rules.tdd.handoff_notes_parse import HANDOFF_NOTES_PARSE
from handoff_tui.checks.rules.tdd.lock_not_stale import LOCK_NOT_STALE
from handoff_tui.checks.rules.tdd.phase_order_legal import PHASE_ORDER_LEGAL
from handoff_tui.checks.rules.tdd.red_has_one_failing_test import RED_HAS_ONE_FAILING_TEST
from handoff_tui.checks.rules.tdd.retry_budget_kept import RETRY_BUDGET_KEPT
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
