import { describe, expect, test } from "vitest";
import { toolResult } from "../log/messages.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { LOOK, openOffline } from "./testing/open-offline.ts";
import { endingOf, notAllowed } from "./turn.ts";

const answered = (...ids: readonly string[]) => ({
  id: "r1",
  type: "message",
  role: "assistant",
  model: "claude-opus-5-5",
  stop_reason: ids.length === 0 ? "end_turn" : "tool_use",
  stop_sequence: null,
  content:
    ids.length === 0
      ? [{ type: "text", text: "Done." }]
      : ids.map((id) => ({ type: "tool_use", id, name: "look", input: {} })),
  usage: { input_tokens: 9, output_tokens: 9 },
});

/** A session whose model has called these tools. Without ids, the turn has ended. */
async function open(...ids: readonly string[]) {
  const store = memoryStore();
  const session = await openOffline(store, { tools: [LOOK] });
  await session.append("What is there?");
  const request = await session.prepare();
  await session.record(answered(...ids) as never, request, { calls: "in-steps" });
  const shown = async () => JSON.stringify((await session.prepare()).messages);
  return { store, session, turn: session.turn, shown };
}

describe("turn.stop", () => {
  test("writes nothing for a turn that has ended", async () => {
    const { session, turn } = await open();
    const { newestEntry } = session.history;
    expect(await turn.stop()).toEqual([]);
    expect(session.history.newestEntry).toBe(newestEntry);
  });

  test("answers the open calls, and reports calls that had begun as unknown", async () => {
    const { session, turn, shown } = await open("a", "b", "c");
    await session.append(toolResult("a", "A tree."));
    await turn.enterCall({ step: "begun", call: "b" });
    expect(turn.next()).toMatchObject({ kind: "calls" });
    const stopped = await turn.stop({ by: "Ann", reason: "enough" });
    expect(stopped.map(({ call, how }) => [call.id, how])).toEqual([
      ["b", "unknown"],
      ["c", "not-run"],
    ]);
    expect(turn.next()).toMatchObject({ kind: "nothing" });
    await session.append("Something else.");
    expect(await shown()).toMatch(/A tree\..*outcome of this call is unknown.*was not run.*Something else\./);
  });

  test("ends a turn that waits for the model, and returns no calls", async () => {
    const session = await openOffline(memoryStore());
    await session.append("What is there?");
    expect(session.turn.next().kind).not.toBe("nothing");
    expect(await session.turn.stop()).toEqual([]);
    expect(session.turn.next().kind).toBe("nothing");
  });
});

test("records an answer to a question for permission once, and only for a waiting call", async () => {
  const { session, turn } = await open("a", "b");
  await turn.enterCall({ step: "waiting", call: "a" });
  const { newestEntry } = session.history;
  expect(await turn.decide("b", { kind: "allow" })).toBe("not-waiting");
  expect(await turn.decide("none", { kind: "allow" })).toBe("not-waiting");
  expect(session.history.newestEntry).toBe(newestEntry);
  expect(await turn.decide("a", { kind: "deny", by: "Ann", reason: "no" })).toBe("recorded");
  expect(await turn.decide("a", { kind: "allow" })).toBe("not-waiting");
  const next = turn.next();
  const calls = next.kind === "calls" ? next.calls : [];
  expect(calls.map(({ call, step }) => [call.id, step])).toContainEqual(["a", "denied"]);
});

describe("an item of a queue", () => {
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  test("is appended once and in rising order, even after a rewind and in another process", async () => {
    const { store, session, turn } = await open();
    const before = session.history.newestEntry;
    expect(await turn.taken("mail")).toBeUndefined();
    expect(await turn.takeIn({ queue: "mail", number: 5, content: ["Hello.", "Are you there?"], traceparent })).toBe(
      "taken",
    );
    expect(await turn.taken("mail")).toEqual({ number: 5, traceparent });
    expect(await turn.takeIn({ queue: "mail", number: 5, content: "Hello." })).toBe("known");
    expect(await turn.takeIn({ queue: "mail", number: 4, content: "Older." })).toBe("known");
    await session.history.rewind(before);
    expect(await turn.takeIn({ queue: "mail", number: 5, content: "Hello." })).toBe("known");
    const again = await openOffline(store, { tools: [LOOK] });
    expect(await again.turn.takeIn({ queue: "mail", number: 5, content: "Hello." })).toBe("known");
    expect(await again.turn.takeIn({ queue: "mail", number: 6, content: "Next." })).toBe("taken");
    expect(await again.turn.taken("mail")).toEqual({ number: 6 });
    // Each queue has its own numbers.
    expect(await again.turn.takeIn({ queue: "other", number: 1, content: "First." })).toBe("taken");
    const messages = JSON.stringify((await again.prepare()).messages);
    expect(messages).toMatch(/Next\..*First\./);
    expect(messages).not.toContain("Hello.");
  });

  test("enters the usage of others into the ledger once", async () => {
    const { session, turn } = await open();
    const used = [
      {
        source: "agents",
        responseId: "r2",
        model: "claude-opus-5-5",
        freshTokens: 5,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: 7,
      },
    ];
    for (let times = 0; times < 2; times++) {
      await turn.takeIn({ queue: "agents", number: 1, content: "It is done.", used: used as never });
    }
    const { bySource } = await session.ledger.cost();
    const lines = await Array.fromAsync(session.ledger.lines());
    expect(lines.filter(({ source }) => source === "agents")).toHaveLength(1);
    expect(Object.keys(bySource)).toContain("agents");
  });
});

test.each([
  ["begun", "unknown"],
  ["unlogged", "unknown"],
  ["asked", "not-run"],
  ["waiting", "not-run"],
  ["allowed", "not-run"],
] as const)("reports a call with the step %s at the end of its turn as %s", (step, expected) => {
  expect(endingOf({ step } as Parameters<typeof endingOf>[0])).toBe(expected);
});

test("gives the model the reason for a denied call", () => {
  expect(notAllowed("not in this folder")).toContain("not in this folder");
});
