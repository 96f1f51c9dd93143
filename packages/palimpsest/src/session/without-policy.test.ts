// The bytes of a request follow from the log alone: no code of a policy is needed to read it.

import { expect, test } from "vitest";
import type { ClearRule, Policy } from "../policy/policy.ts";
import { proposalOf, whenCold } from "../policy/rules/clear.ts";
import { coding } from "../presets/coding.ts";
import { anthropic } from "../providers/anthropic.ts";
import { exportLog, importLog } from "../stores/export-log.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { openSession } from "./open.ts";
import { JUDGED_MODEL, JUDGED_TOOLS, type JudgedSession, openJudged } from "./testing/judged-session.ts";

/** Clears every second result as soon as there are three: no rule of ours does that. */
const everySecond: ClearRule = {
  name: "every-second",
  params: { of: 2 },
  propose(state) {
    const whole = state.results.filter(({ shown, clearable }) => shown === "whole" && clearable);
    const old = whole.slice(0, -1).filter((_, at) => at % 2 === 0);
    return whole.length < 3 ? undefined : proposalOf(old, state, { level: "requested", because: "every second" });
  },
};

/** Marks, clears by two rules and compacts, with turns between. */
async function eventfulSession(): Promise<JudgedSession> {
  const policy: Policy = { ...coding(), name: "mine", clear: [everySecond, whenCold({ keepNewest: 1 })] };
  const opened = await openJudged({ policy });
  for (let turn = 0; turn < 3; turn++) {
    await opened.session.append(`Turn ${turn}: read them.`);
    await opened.read(4);
    await opened.ask();
    await opened.session.mark("turn", turn);
    opened.clock.advance(turn === 1 ? 10 * 60_000 : 1_000);
  }
  await opened.session.append("Sum up.");
  await opened.session.prepare();
  return opened;
}

/** The next request of the same log on another machine, which has only the default policy. */
async function elsewhere({ store, clock }: JudgedSession, settings = {}) {
  const copy = memoryStore({ clock, leaseMs: 0 });
  const reader = await store.openReader("s");
  const opened = await copy.openWriter("s", { owner: "importer" });
  if (opened.kind !== "opened") throw new Error(opened.kind);
  await importLog(opened.writer, exportLog(reader!));
  await opened.writer.close();
  const session = await openSession({
    ...{ store: copy, id: "s", provider: anthropic({} as never), model: JUDGED_MODEL, tools: JUDGED_TOOLS, clock },
    ...{ settings, settingsFrom: { environment: {} } },
  });
  return { session, bytes: async () => JSON.stringify(await session.prepare()) };
}

const bytesOf = async ({ session }: JudgedSession) => JSON.stringify(await session.prepare());

test("a log renders the same bytes on a machine without the code of its policy", async () => {
  const opened = await eventfulSession();
  const decisions = (await opened.entries()).filter(({ kind }) => kind === "decision");
  expect(decisions.length).toBeGreaterThan(1);
  const bytes = await bytesOf(opened);
  expect(bytes).toContain("Cleared to save room");
  expect(await (await elsewhere(opened)).bytes()).toBe(bytes);
  expect(await (await elsewhere(opened, { profile: "economy" })).bytes()).toBe(bytes);
});

test("a cleared result that is restored is sent with the same bytes as before, on both machines", async () => {
  const opened = await openJudged({ policy: { ...coding(), name: "mine", clear: [whenCold({ keepNewest: 1 })] } });
  await opened.session.append("Read them.");
  await opened.read(3);
  /** The message with the result of the first file, without the marks for the cache, which move with the conversation. */
  const firstResult = async (): Promise<string | undefined> => {
    const { messages } = await opened.session.prepare();
    const texts = messages.map((message) => JSON.stringify(message).replace(/,"cache_control":\{[^}]*\}/g, ""));
    return texts.find((text) => text.includes("tool_result") && text.includes("content of 0.ts "));
  };
  const before = await firstResult();
  await opened.ask();
  opened.clock.advance(10 * 60_000);
  await opened.session.append("Go on.");
  await opened.ask();
  expect(await firstResult()).toBeUndefined();
  const [cleared] = (await opened.entries()).filter(({ kind }) => kind === "replace");
  await opened.session.history.restore(cleared!.sequence, "the model needs it");
  await opened.session.append("Look again.");
  expect(await firstResult()).toBe(before);
  expect(await (await elsewhere(opened)).bytes()).toBe(await bytesOf(opened));
});

test("a rewind to before a decision renders the bytes of that time, on both machines", async () => {
  const opened = await openJudged({ policy: { ...coding(), name: "mine", clear: [whenCold({ keepNewest: 1 })] } });
  await opened.session.append("Read them.");
  await opened.read(4);
  const before = await bytesOf(opened);
  const point = opened.session.history.newestEntry;
  await opened.ask();
  opened.clock.advance(10 * 60_000);
  await opened.session.append("Go on.");
  expect(await bytesOf(opened)).toContain("Cleared to save room");
  await opened.session.history.rewind(point);
  expect(await bytesOf(opened)).toBe(before);
  expect(await (await elsewhere(opened)).bytes()).toBe(before);
});
