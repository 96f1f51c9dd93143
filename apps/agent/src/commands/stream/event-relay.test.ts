import type { SessionEvent } from "palimpsest";
import { expect, test } from "vitest";
import { nameOwners } from "../../agent/agent.ts";
import { relayEvents } from "./report-turn.ts";
import type { ReportedEvent } from "./turn-report.ts";

function cleared(count: number, session = "s"): SessionEvent {
  return {
    kind: "results-cleared",
    rule: "when-cold",
    by: "session",
    trigger: "auto",
    count,
    tokensFreed: 100,
    because: "the prompt cache expired",
    session,
    atMs: 0,
  };
}

function startRelay() {
  const reported: ReportedEvent[] = [];
  const relay = relayEvents({ event: async (event) => void reported.push(event) });
  const seen = () => reported.map((one) => (one.kind === "session-event" ? one.event : one.kind));
  return { relay, seen, reported };
}

test("reports an event before, between and after turns at once", () => {
  const { relay, seen } = startRelay();
  const [first] = [cleared(1)];
  relay.onEvent(first);
  expect(seen()).toEqual([first]);
});

test("reports an event of a turn once: where the turn yields it, or at the turn's end", async () => {
  const { relay, seen } = startRelay();
  const [within, late, after] = [cleared(1), cleared(2), cleared(3)];
  relay.beginTurn();
  relay.onEvent(within);
  await relay.turnEvent({ kind: "request-started", tries: 1 });
  await relay.turnEvent({ kind: "session-event", event: within });
  relay.onEvent(late);
  await relay.endTurn();
  relay.onEvent(after);
  expect(seen()).toEqual(["request-started", within, late, after]);
});

test("reports events of agents at once, with the agent's name", () => {
  const { relay, reported } = startRelay();
  const owners = nameOwners(relay.onEvent);
  owners.onEvent(cleared(1));
  const scout = { id: "1", way: "subagent", goal: "look", session: "s:1", name: "scout", status: "running", entry: 3 };
  owners.opened({ id: "s", background: { agents: () => [scout] } as never });
  relay.beginTurn();
  for (const session of ["s", "s:1", "s:compact"]) owners.onEvent(cleared(2, session));
  expect(reported.map((one) => (one.kind === "session-event" ? (one.owner ?? "session") : one.kind))).toEqual([
    "session",
    { kind: "agent", name: "scout" },
    { kind: "fork", name: "compact" },
  ]);
});
