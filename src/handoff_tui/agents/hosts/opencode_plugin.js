// Written by handoff-tui: `handoff-tui hook uninstall opencode` takes it away.
// Asks `handoff-tui hook opencode` before each tool call, and again when the agent stops.
import { spawnSync } from "node:child_process"

const reminded = new Set() // sessions that were told what blocks them since their person last spoke
const ours = new Set() // sessions whose next message is ours

function ask(question) {
  const done = spawnSync("handoff-tui", ["hook", "opencode"], { input: JSON.stringify(question), encoding: "utf8" })
  if (done.error || done.status !== 0) {
    const why = done.error ? done.error.message : done.stderr
    return { failed: true, decision: "block", reason: `handoff-tui doesn't answer, so this can't run: ${why}` }
  }
  return JSON.parse(done.stdout)
}

export const HandoffTui = async ({ client, directory }) => ({
  "tool.execute.before": async (input, output) => {
    const answer = ask({
      hook_event_name: "PreToolUse",
      cwd: directory,
      session_id: input.sessionID,
      tool_name: input.tool,
      tool_input: output.args,
    })
    if (answer.decision === "block") throw new Error(answer.reason)
  },
  "chat.message": async (input) => {
    if (!ours.delete(input.sessionID)) reminded.delete(input.sessionID)
  },
  event: async ({ event }) => {
    if (event.type !== "session.idle") return
    const id = event.properties.sessionID
    if (reminded.has(id)) return
    const answer = ask({ hook_event_name: "Stop", cwd: directory, session_id: id, stop_hook_active: false })
    if (answer.decision !== "block" || answer.failed) return
    reminded.add(id)
    ours.add(id)
    await client.session.promptAsync({ path: { id }, body: { parts: [{ type: "text", text: answer.reason }] } })
  },
})
