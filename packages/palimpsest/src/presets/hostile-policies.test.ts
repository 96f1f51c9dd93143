import { answer, manualClock, type Script } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import type { ClearRule, CompactRule, Json, KeepPart, Policy, SummaryFunction } from "../policy.ts";
import { coding, economic, prose, window, written } from "../policy.ts";
import { type Desk, openDesk, words } from "./testing/open-desk.ts";

const throwing = (): never => {
  throw new Error("boom");
};
const rejecting = (() => Promise.reject(new Error("boom"))) as never;

/** Compacts from 12,000 tokens on, at any price. */
const requested: CompactRule["when"] = ({ size }) =>
  size.tokens < 12_000 ? undefined : { level: "requested", because: "a test" };

function policyWith(compact: Partial<CompactRule>, more: Partial<Policy> = {}): Policy {
  const base = coding();
  return { ...base, name: "hostile", clear: [], compact: { ...base.compact, when: requested, ...compact }, ...more };
}

/** Twelve turns. Every message of the user has to be in its request, and every request is answered. */
async function runTurns({ say }: Desk, tokens = 4_000): Promise<void> {
  for (let index = 0; index < 12; index++) {
    const text = `${words(`message ${index}`, tokens)} Number ${index}.`;
    expect((await say(text)).includes(`Number ${index}.`)).toBe(true);
  }
}

/** What the events say about failures of rules: each rule once with its function, and how often it failed until it was paused. */
function failuresOf({ eventsOf }: Desk) {
  const failed = eventsOf("rule-failed");
  return {
    rules: [...new Set(failed.map(({ rule, where }) => `${rule}, ${where}`))],
    why: failed[0]?.because,
    count: failed.length,
    paused: failed.map(({ paused }) => paused),
  };
}

const clearing = (propose: ClearRule["propose"]): Policy => policyWith({}, { clear: [{ name: "hostile", propose }] });
const proposal = (fields: object) =>
  (() => ({
    action: { kind: "clear", entries: [999], thinking: "dropped" },
    level: "requested",
    because: "a test",
    freesTokens: 1_000,
    keepsPrefixTokens: 0,
    undo: "exact",
    ...fields,
  })) as never;

describe("a rule is named in an event for each failure, and is paused after three, if", () => {
  test.each<[what: string, policy: Policy, rule: string, why: RegExp]>([
    ["a clear rule throws", clearing(throwing), "hostile, propose", /boom/],
    ["a clear rule returns a promise", clearing(rejecting), "hostile, propose", /promise/],
    [
      "a clear rule proposes an entry that does not exist",
      clearing(proposal({})),
      "hostile, propose",
      /entry 999|entries/,
    ],
    ["a clear rule frees NaN tokens", clearing(proposal({ freesTokens: Number.NaN })), "hostile, propose", /NaN/],
    ["`when` throws", policyWith({ when: throwing }), "compact, when", /boom/],
    ["`when` returns a promise", policyWith({ when: rejecting }), "compact, when", /promise/],
    [
      "`when` asks for a level that does not exist",
      policyWith({ when: (() => ({ level: "now", because: "" })) as never }),
      "compact, when",
      /level/,
    ],
    ["`range` throws", policyWith({ range: throwing }), "range, range", /boom/],
    ["`range` cuts at NaN", policyWith({ range: () => ({ to: Number.NaN }) }), "range, range", /NaN/],
    [
      "the threshold for results is NaN",
      policyWith({}, { store: { ...coding().store, thresholdOf: () => Number.NaN } }),
      "store, threshold",
      /NaN/,
    ],
    [
      "the lifetime of the cache does not exist",
      policyWith({}, { cache: { name: "hostile", head: () => "2h" as never, conversation: () => "5m" } }),
      "cache, lifetime",
      /2h/,
    ],
  ])("%s", async (_, policy, rule, why) => {
    const desk = await openDesk({ policy, windowTokens: 40_000, session: { tools: TOOLS } as object, script });
    await runTurns(desk);
    const { rules, why: because, count, paused } = failuresOf(desk);
    expect(rules).toEqual([rule]);
    expect(because).toMatch(why);
    expect([count, paused]).toEqual([3, [false, false, true]]);
    // The window of 40,000 tokens was compacted all the same.
    expect(await desk.session.history.explain()).not.toEqual([]);
  });
});

const TOOLS = [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }];
/** Calls a tool in every turn, so that rules of results are asked. */
const script: Script = ({ purpose, toolResults }) => {
  if (purpose === "summary") return answer(`<summary>\n${words("all of it", 100)}\n</summary>`);
  if (toolResults.length === 0) return { words: [{ kind: "tool-call", name: "look", input: {} }] };
  return answer("Done.");
};

const partOf = (fields: Partial<KeepPart>): KeepPart => ({
  name: "hostile",
  budget: { maxTokens: 500, share: 0.05 },
  plan: () => [{ key: "1", from: { kind: "text", text: "Text of the part.", provenance: { kind: "host" } } }],
  render: (items) => items.map(({ text, provenance }) => ({ heading: "", text, provenance })),
  ...fields,
});
const collecting = (add: (state: Json) => Json) => partOf({ collect: { version: 1, empty: [], maxBytes: 1_000, add } });

describe("a part is left out and named, and is paused after three compactions, if the part", () => {
  test.each<[what: string, part: KeepPart, where: string, why: RegExp]>([
    ["throws in `plan`", partOf({ plan: throwing }), "plan", /boom/],
    ["returns a promise from `render`", partOf({ render: rejecting }), "render", /promise/],
    [
      "renders 100 MB",
      partOf({ render: () => [{ heading: "", text: "z".repeat(100_000_000), provenance: { kind: "host" } }] }),
      "render",
      /characters/,
    ],
    ["collects 100 MB", collecting(() => "z".repeat(100_000_000)), "collect", /maxBytes is 1000/],
    ["collects NaN", collecting(() => undefined as never), "collect", /JSON/],
  ])("%s", async (_, part, where, why) => {
    const desk = await openDesk({ policy: policyWith({ keep: [part] }) });
    await runTurns(desk, 6_000);
    const compactions = await desk.session.history.explain();
    expect(compactions.length).toBeGreaterThan(3);
    const { rules, why: because, count, paused } = failuresOf(desk);
    expect(rules).toEqual([`hostile, ${where}`]);
    expect(because).toMatch(why);
    expect([count, paused]).toEqual([3, [false, false, true]]);
  });
});

describe("a summary function", () => {
  test("that never ends is stopped after its time, replaced by its form, and paused after three compactions", async () => {
    const clock = manualClock(0);
    const hang = (): Promise<string> => {
      setImmediate(() => clock.advance(30_000));
      return new Promise(() => {});
    };
    const summary = written("hanging", hang, { timeoutMs: 30_000, otherwise: prose("All of it.") });
    const desk = await openDesk({ policy: policyWith({ summary }), clock });
    await runTurns(desk, 6_000);
    const made = (await desk.session.history.explain()).map(({ compaction }) => compaction!);
    expect(made.length).toBeGreaterThan(3);
    for (const { summary } of made) expect(summary).toMatchObject({ way: "fork", form: "hanging", met: true });
    expect(failuresOf(desk)).toMatchObject({ rules: ["summary, write"], count: 3, paused: [false, false, true] });
    expect(made[0]!.attempts).toEqual([{ way: "function", why: expect.stringContaining("paused") }]);
    expect(made.at(-1)!.attempts).toEqual([{ way: "function", why: "it wrote nothing in 30 s" }]);
  });

  test.each<[string, SummaryFunction]>([
    ["throws", written("own", throwing)],
    ["returns 3 MB", written("own", async () => "all of it, ".repeat(300_000))],
  ])("that %s and has no form leaves the conversation as it is until the window is full", async (_, summary) => {
    const desk = await openDesk({ policy: policyWith({ summary }), windowTokens: 40_000 });
    await runTurns(desk);
    const ended = desk.eventsOf("compaction-ended");
    expect(ended[0]).toMatchObject({ reason: "requested", outcome: { kind: "failed" } });
    expect(ended.filter(({ reason, outcome }) => reason === "requested" && outcome.kind === "compacted")).toEqual([]);
    expect(ended.some(({ reason, outcome }) => reason === "window" && outcome.kind === "compacted")).toBe(true);
    expect(failuresOf(desk).rules).toEqual(["summary, write"]);
  });
});

describe("a compaction whose summary fails", () => {
  const refusing: Script = ({ purpose }) =>
    answer(purpose === "summary" ? "I'm sorry, but I can't help with that." : "Done.");
  const saving = economic({ fromTokens: 12_000, inTurnFromTokens: 12_000 });
  const weigh = { ...coding().weigh, horizonRequests: 1_000 };

  test.each<[string, CompactRule["when"], string]>([
    ["only saves money", saving, "economic"],
    ["is requested", requested, "requested"],
  ])("installs nothing if the compaction %s", async (_, when, reason) => {
    const desk = await openDesk({ policy: policyWith({ when }, { weigh }), script: refusing });
    for (let index = 0; index < 5; index++) await desk.say(words(`message ${index}`, 4_000));
    expect(desk.eventsOf("compaction-started")).toMatchObject([{ reason }]);
    expect(desk.eventsOf("compaction-ended")).toMatchObject([{ outcome: { kind: "failed", failure: "no_summary" } }]);
    expect(await desk.session.history.explain()).toEqual([]);
    expect((await desk.say("And now?")).includes("About message 0")).toBe(true);
    expect(desk.eventsOf("compaction-degraded")).toEqual([]);
  });

  test("is installed with the parts alone if the window requires the compaction, and says so", async () => {
    const desk = await openDesk({ policy: policyWith({ when: window() }), script: refusing, windowTokens: 40_000 });
    await runTurns(desk);
    const [compaction] = (await desk.session.history.explain()).map((one) => one.compaction!);
    expect(compaction).toMatchObject({ reason: "window", summary: { way: "none", met: false } });
    const [degraded] = desk.eventsOf("compaction-degraded");
    expect(degraded).toMatchObject({
      summary: "none",
      reason: "no-usable-summary",
      because: expect.stringContaining("refusal"),
    });
  });
});
