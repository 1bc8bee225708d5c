#!/bin/sh
# Refuses a session whose state is not there. Exit code 0: go on. 1: stop.
cd "$(dirname "$0")/../.." || exit 1
failed=0
for file in agent_state.json blockers.json current_task.json; do
    if [ ! -s ".mosaic/$file" ]; then
        echo "missing: .mosaic/$file"
        failed=1
    fi
done
if ! grep -q '"acknowledged_at"' .mosaic/agent_state.json 2>/dev/null; then
    echo "nobody acknowledged the briefing"
    failed=1
fi
for file in README.md docs/how-we-work.md docs/operations.md .mosaic/LATEST_HANDOFF.md; do
    if [ ! -r "$file" ]; then
        echo "missing: $file"
        failed=1
    fi
done
[ "$failed" -eq 0 ] && echo "session gate: pass"
exit "$failed"
