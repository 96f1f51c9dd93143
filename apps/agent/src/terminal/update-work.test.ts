import { expect, test } from "vitest";
import type { ScreenEvent } from "./screen-event.ts";
import { startState } from "./state.ts";
import { update } from "./update.ts";

const START = startState({
  columns: 80,
  rows: 24,
  style: "full",
  nowMs: 0,
  history: { texts: [], pastes: [] },
  commands: [],
});
const ONE = { text: "one", shown: "one", content: ["one"] };
const TWO = { text: "two", shown: "two", content: ["two"] };
const STARTED: ScreenEvent = { kind: "turn-started", said: [] };
const COMMAND_ENDED: ScreenEvent = { kind: "command-ended", counts: "tour-step" };
const queue = (...texts: readonly string[]): ScreenEvent => ({
  kind: "queue",
  queued: texts.map((text, id) => ({ id, text, ...(text.startsWith("/") ? { kind: "command" } : {}) })),
});

/** The effects of the last event. */
function effectsOf(...events: readonly ScreenEvent[]) {
  let [state, effects]: [typeof START, readonly unknown[]] = [START, []];
  for (const event of events) ({ state, effects } = update(state, event));
  return effects;
}

test("a message begins a turn if nothing runs, and waits otherwise", () => {
  const message: ScreenEvent = { kind: "message", message: ONE };
  expect(effectsOf(message)).toEqual([{ kind: "begin-turn", message: ONE }]);
  expect(effectsOf(STARTED, message)).toEqual([{ kind: "enqueue", input: ONE }]);
  expect(effectsOf({ kind: "busy", with: "Compacting" }, message)).toEqual([{ kind: "enqueue", input: ONE }]);
  // The first message may still wait for an answer about its price.
  expect(effectsOf(message, { kind: "message", message: TWO })).toEqual([{ kind: "enqueue", input: TWO }]);
});

test("a message that mail has overtaken waits for the end of that turn", () => {
  const asked: ScreenEvent[] = [{ kind: "message", message: ONE }, { kind: "mail" }, STARTED];
  expect(effectsOf(...asked, { kind: "turn-requested", message: ONE })).toEqual([{ kind: "enqueue", input: ONE }]);
});

test("a message can be sent after a compaction", () => {
  expect(effectsOf({ kind: "message", message: ONE }, { kind: "compact-first", message: ONE })).toEqual([
    { kind: "run-command", text: "/compact", message: ONE },
  ]);
  expect(effectsOf({ kind: "command-started" }, { kind: "command-ended", message: ONE, counts: "tour-step" })).toEqual([
    { kind: "start-turn", message: ONE },
  ]);
});

test("a command waits for the end of the turn unless it can run beside one", () => {
  const entered = (when: "always" | "idle"): ScreenEvent => ({ kind: "command-entered", text: "/cost", when });
  const runs = [{ kind: "run-command", text: "/cost" }];
  expect(effectsOf(entered("idle"))).toEqual(runs);
  expect(effectsOf(STARTED, entered("always"))).toEqual(runs);
  expect(effectsOf(STARTED, entered("idle"))).toEqual([{ kind: "enqueue", input: { text: "/cost" } }]);
});

test("the end of a turn starts what waits", () => {
  const after = [{ kind: "read-status" }, { kind: "keep-warm" }];
  expect(effectsOf(STARTED, queue("one", "/clear"), { kind: "turn-over" })).toEqual([
    { kind: "start-turn" },
    { kind: "read-status" },
  ]);
  const next = { kind: "run-command", text: "/clear", from: "queue" };
  expect(effectsOf(STARTED, queue("/clear", "one"), { kind: "turn-over" })).toEqual([...after, next]);
  expect(effectsOf(STARTED, { kind: "turn-over" })).toEqual([
    { kind: "keep-warm" },
    { kind: "await-agents" },
    { kind: "tour-next" },
  ]);
});

test("what waits starts once every running command has ended", () => {
  const running: ScreenEvent[] = [{ kind: "command-started" }, { kind: "busy", with: "Looking" }, queue("one")];
  expect(effectsOf(...running, { kind: "free" })).toEqual([]);
  expect(effectsOf(...running, { kind: "free" }, COMMAND_ENDED)).toEqual([
    { kind: "tour-next" },
    { kind: "start-turn" },
  ]);
  expect(effectsOf(...running, { kind: "command-started" }, { kind: "free" }, COMMAND_ENDED)).toEqual([
    { kind: "tour-next" },
  ]);
});

test("mail and reports of agents start a turn between two turns", () => {
  const found = (what: "waiting" | "nothing-runs"): ScreenEvent => ({ kind: "agents-idle", found: what });
  expect(effectsOf({ kind: "mail" })).toEqual([{ kind: "start-turn" }]);
  expect(effectsOf(STARTED, { kind: "mail" })).toEqual([]);
  expect(effectsOf(found("waiting"))).toEqual([{ kind: "start-turn" }]);
  expect(effectsOf(found("nothing-runs"))).toEqual([{ kind: "read-status" }]);
  expect(effectsOf(STARTED, found("waiting"))).toEqual([]);
});

test("nothing starts while a session is being closed", () => {
  const closing: ScreenEvent[] = [STARTED, queue("one"), { kind: "session-closing" }];
  expect(effectsOf(...closing, { kind: "turn-over" })).toEqual([]);
  expect(effectsOf(...closing, { kind: "turn-over" }, { kind: "mail" })).toEqual([]);
  const opened: ScreenEvent = { kind: "session-opened", by: "command" };
  expect(effectsOf(...closing, { kind: "turn-over" }, opened)).toEqual([{ kind: "hear-mail" }]);
});
