"""Lists to choose from about agents: breakpoints, files that an output names, and what becomes of agents on leaving."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.agents.output_places import NamedPlace
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.agents import AtWork, Stop
from handoff_tui.live.state.desk import DeskState
from handoff_tui.tui.dialogs.palette import Offer, PaletteScreen
from handoff_tui.tui.dialogs.proposal_page import describe_stop


def build_stop_dialog(state: DeskState) -> PaletteScreen:
    """Every place between two phases; what is chosen is set, or taken away."""
    view = state.agent.value
    phases = dict.fromkeys(agent.phase for agent in view.agents) if view is not None else {}
    stops = [Stop(phase, before=before) for phase in phases for before in (True, False)]
    set_now = view.stops if view is not None else frozenset()
    offers = [
        Offer(
            f"stop:{'before' if stop.before else 'after'}:{stop.phase}",
            describe_stop(stop),
            "● set" if stop in set_now else "",
        )
        for stop in stops
    ]
    return PaletteScreen(
        "Where nothing starts by itself", offers, "↵ sets it, or takes it away · lasts until you leave"
    )


def parse_stop(name: str) -> Stop:
    side, _, phase = name.partition(":")
    return Stop(phase, before=side == "before")


def build_place_dialog(places: Sequence[NamedPlace]) -> PaletteScreen:
    offers = [
        Offer(f"place:{place.line or ''}:{place.path}", place.path, f"line {place.line}" if place.line else "")
        for place in places
    ]
    return PaletteScreen("Open a file", offers, "↵ opens it")


def parse_place(name: str) -> NamedPlace:
    line, _, path = name.partition(":")
    return NamedPlace(path, int(line) if line else None)


def build_leave_dialog(at_work: AtWork) -> PaletteScreen | None:
    """Nothing where no agent of this desk is at work, and none is to start by itself."""
    runs, coming = at_work.runs, at_work.coming
    if not runs and not coming:
        return None
    offers = [Offer("stay", "stay here")]
    if runs:
        names = ", ".join(f"{key.handoff} · {key.phase}" for key in runs)
        one = len(runs) == 1
        title = f"{plural(len(runs), 'agent')} at work: {names}"
        offers += [
            Offer(
                "leave:go", f"leave {'it' if one else 'them'} running; the output is kept", "handoff-tui step --attach"
            ),
            Offer("leave:stop", f"stop {'it' if one else 'them'}, then leave", "TERM, a grace, KILL"),
        ]
    else:
        title = f"{coming[0].handoff} · {coming[0].phase} would start by itself"
        offers.append(Offer("leave:go", "leave: it does not start"))
    return PaletteScreen(render_safe(title), offers, "↵ takes the row under the cursor · esc stays")
