import { answer, callTool, callTools } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import { toolResult } from "../log/messages.ts";
import type { ToolDefinition } from "../log/payload.ts";
import type { ClearRule } from "../policy/policy.ts";
import { proposalOf, stale, toFit, whenCold } from "../policy/rules/clear.ts";
import { economic, window } from "../policy/rules/when.ts";
import { anthropic } from "../providers/anthropic.ts";
import type { SessionEvent } from "../session-event.ts";
import { JUDGED_MODEL, type JudgedSession, openJudged } from "./testing/judged-session.ts";
import { clearingBy, compactingWhen } from "./testing/policies.ts";

const PAUSE_MS = 6 * 60_000;
const kinds = (events: readonly SessionEvent[]) => events.map(({ kind }) => kind);
const of = <Kind extends SessionEvent["kind"]>(events: readonly SessionEvent[], kind: Kind) =>
  events.filter((event): event is Extract<SessionEvent, { kind: Kind }> => event.kind === kind);

/** A provider whose model has a small window. */
const small = (windowTokens: number, model = JUDGED_MODEL) =>
  anthropic({} as never, { models: { [model]: { windowTokens } } });
/** Its thinking is not bound to its prompt, so results can be cleared inside a turn. */
const FREE = "claude-sonnet-4-6";

/** The decisions in the log, and the tools and inputs of the results that they cleared. */
async function decided({ entries }: JudgedSession) {
  const read = await entries();
  const stubs = read.flatMap((one) => (one.kind === "replace" ? [JSON.stringify(one.payload.with)] : []));
  return {
    decisions: read.flatMap((one) => (one.kind === "decision" ? [one.payload] : [])),
    policies: read.filter(({ kind }) => kind === "policy").length,
    files: stubs.map((stub) => stub.match(/\d+\.ts/)?.[0]),
  };
}

/** A session that has read this many files and answered. */
async function afterReading(count: number, options: Parameters<typeof openJudged>[0] = {}) {
  const opened = await openJudged({ policy: clearingBy(whenCold({ keepNewest: 3 })), ...options });
  await opened.session.append("Read them all.");
  await opened.read(count);
  await opened.ask();
  return opened;
}

/** The same session, whose prompt cache has expired before the user's next message. */
async function afterPause(count: number, options: Parameters<typeof openJudged>[0] = {}) {
  const opened = await afterReading(count, options);
  opened.clock.advance(PAUSE_MS);
  await opened.session.append("Go on.");
  return opened;
}

describe("clearing", () => {
  test("records the decision, then the stubs, and keeps the results for recall", async () => {
    const opened = await afterPause(5);
    const request = JSON.stringify(await opened.session.prepare());
    const { decisions, policies, files } = await decided(opened);
    expect(files).toEqual(["0.ts", "1.ts"]);
    expect(policies).toBe(1);
    expect(decisions).toMatchObject([{ rule: "when-cold", action: "clear", level: "if-it-pays", considered: [] }]);
    expect(decisions[0]!.tokensAfter).toBeLessThan(decisions[0]!.tokensBefore - 2_000);
    expect(request).toContain("content of 2.ts");
    expect(request).not.toContain("content of 1.ts");
    const [first] = (await opened.entries()).filter(({ kind }) => kind === "replace");
    const replaced = first?.kind === "replace" ? first.payload.from : 0;
    const recalled = await opened.session.recall({ entry: replaced });
    expect(recalled.kind === "text" && recalled.text).toBe("content of 0.ts ".repeat(300));
  });

  test("writes the policy once, and again only if another policy decides", async () => {
    const opened = await afterPause(5);
    await opened.session.prepare();
    await opened.read(3);
    await opened.ask();
    opened.clock.advance(PAUSE_MS);
    await opened.session.append("And now?");
    await opened.session.prepare();
    expect(await decided(opened)).toMatchObject({ policies: 1, decisions: [{}, {}] });
    await opened.reopen({ policy: clearingBy(whenCold({ keepNewest: 1 })) });
    await opened.ask();
    opened.clock.advance(PAUSE_MS);
    await opened.session.append("Go on.");
    await opened.session.prepare();
    expect(await decided(opened)).toMatchObject({ policies: 2, decisions: [{}, {}, {}] });
  });

  test("comes before a compaction that the host requests", async () => {
    const opened = await afterPause(8);
    expect(await opened.session.compact()).toMatchObject({ reason: "asked" });
    expect((await decided(opened)).files).toHaveLength(5);
    const told = kinds(opened.events).filter((kind) => /cleared|started$/.test(kind));
    expect(told.slice(-2)).toEqual(["results-cleared", "compaction-started"]);
    expect(of(opened.events, "results-cleared")).toMatchObject([{ trigger: "manual", by: "session", count: 5 }]);
  });

  test("is not needed for the policy to be in the log: a compaction writes the policy, too", async () => {
    const opened = await afterReading(8, { policy: clearingBy() });
    expect((await decided(opened)).policies).toBe(0);
    expect(await opened.session.compact()).toMatchObject({ kind: "compacted" });
    const written = (await opened.entries()).map(({ kind }) => kind).filter((kind) => /policy|boundary/.test(kind));
    expect(written).toEqual(["policy", "boundary"]);
    await opened.session.append("Go on.");
    await opened.ask();
    await opened.session.compact();
    expect((await decided(opened)).policies).toBe(1);
  });

  test("makes a file count as not read", async () => {
    const { session } = await afterPause(5);
    expect([...session.view.filesRead().keys()]).toEqual(["0.ts", "1.ts", "2.ts", "3.ts", "4.ts"]);
    await session.prepare();
    expect([...session.view.filesRead().keys()]).toEqual(["2.ts", "3.ts", "4.ts"]);
  });

  test("leaves errors, answers of the user and results of tools with side effects", async () => {
    const inputSchema = { type: "object" };
    const tools: readonly ToolDefinition[] = [
      { name: "Read", inputSchema },
      { name: "AskUser", inputSchema, results: "kept" },
      { name: "pay", inputSchema, sideEffects: "some" },
      { name: "log", inputSchema, sideEffects: "some", results: "clearable" },
    ];
    const opened = await openJudged({ policy: clearingBy(whenCold({ keepNewest: 0 })), tools });
    const { session } = opened;
    await session.append("Do all of it.");
    for (const tool of ["Read", "AskUser", "pay", "log"]) await opened.read(1, tool);
    const [id] = await opened.ask(callTools(callTool("Read", { file_path: "bad.ts" })));
    await session.append(toolResult(id!, "no such file ".repeat(500), "error"));
    await opened.ask();
    opened.clock.advance(PAUSE_MS);
    await session.append("Go on.");
    await session.prepare();
    expect((await decided(opened)).files).toEqual(["0.ts", "3.ts"]);
  });
});

describe("a decision", () => {
  test("does nothing if nothing pays, and says why", async () => {
    const opened = await afterReading(8);
    await opened.session.append("Go on.");
    const before = opened.session.history.newestEntry;
    await opened.session.prepare();
    // Only the request.
    expect(opened.session.history.newestEntry).toBe(before + 1);
    expect(opened.session.history.decision()).toMatchObject({ rule: undefined, proposals: [], failed: [] });
    expect(opened.session.history.decision().because).toBe("no rule makes a proposal");
  });

  test("is expected, not made, in a session that was opened again", async () => {
    const opened = await afterPause(5);
    await opened.reopen({ policy: clearingBy(whenCold({ keepNewest: 3 })) });
    expect(opened.session.history.decision()).toMatchObject({
      status: "expected",
      outcome: undefined,
      rule: "when-cold",
    });
    await opened.session.prepare();
    expect(opened.session.history.decision()).toMatchObject({ status: "made", outcome: { kind: "done" } });
  });

  test("is explained with its figures and its other proposals, also after the session has decided that nothing else is needed", async () => {
    const other: ClearRule = {
      name: "one-result",
      propose: (state) => proposalOf(stale(state, { keepNewest: 4 }), state, { level: "if-it-pays", because: "one" }),
    };
    const opened = await afterPause(5, { policy: clearingBy(other, whenCold({ keepNewest: 3 })) });
    await opened.session.prepare();
    const explained = opened.session.history.decision();
    expect(explained).toMatchObject({ policy: "test", rule: "when-cold", atMs: PAUSE_MS });
    expect(explained.because).toMatch(
      /^when-cold pays: the prompt cache expired, after 6 minutes .*; 2 results; frees/,
    );
    expect(explained.proposals.map(({ rule }) => rule)).toEqual(["one-result", "when-cold"]);
    const figures = explained.proposals.map(({ figures: one }) => one);
    expect(figures[1]!.net).toBeGreaterThan(figures[0]!.net);
    expect(figures[1]).toMatchObject({ unit: "usd" });
    expect((await decided(opened)).decisions).toMatchObject([{ considered: [{ rule: "one-result" }] }]);
  });

  test("repeats a required action until the window fits", async () => {
    const oneByOne: ClearRule = {
      name: "one-by-one",
      propose: (state) =>
        state.size.tokens < 4_000
          ? undefined
          : proposalOf(stale(state, { keepNewest: 0 }).slice(0, 1), state, { level: "required", because: "too large" }),
    };
    const opened = await afterPause(5, { policy: clearingBy() });
    await opened.reopen({ policy: clearingBy(oneByOne) });
    await opened.session.prepare();
    const { decisions, files } = await decided(opened);
    expect(decisions.map(({ rule }) => rule)).toEqual(Array(files.length).fill("one-by-one"));
    expect(files.length).toBeGreaterThan(1);
    expect(files.length).toBeLessThanOrEqual(4);
  });

  test("clears at the hard limit if compaction is off", async () => {
    const opened = await openJudged({
      provider: small(16_000, FREE),
      model: FREE,
      settings: { compaction: "off" },
      policy: clearingBy(toFit({ keepNewest: 1, toShare: 0.6 })),
    });
    await opened.session.append("Read them all.");
    await opened.read(16);
    await opened.session.prepare();
    expect(of(opened.events, "results-cleared")[0]).toMatchObject({ rule: "to-fit", by: "session" });
    expect(kinds(opened.events)).not.toContain("compaction-started");
    const { tokens, hardLimitTokens } = opened.session.view.size();
    expect(tokens).toBeLessThan(hardLimitTokens);
  });

  test("never waits for a person if the window is full, although the rule only saves money", async () => {
    const policy = compactingWhen(economic({ fromTokens: 8_000, inTurnFromTokens: 8_000 }));
    const opened = await afterReading(3, { provider: small(16_000), policy: compactingWhen(() => undefined) });
    await opened.reopen({ policy });
    await opened.session.append("word ".repeat(11_000));
    const due = opened.session.history.decision();
    expect(due.because).toContain("economic makes room");
    await opened.session.prepare();
    expect(of(opened.events, "compaction-announced")).toMatchObject([{ when: "now", reason: "window" }]);
    expect(of(opened.events, "compaction-ended")).toMatchObject([{ outcome: { kind: "compacted" } }]);
  });
});

describe("a rule that fails", () => {
  test("is reported, paused after three failures in a row, and called again in a session that is opened again", async () => {
    let calls = 0;
    const failing: ClearRule = {
      name: "failing",
      propose() {
        calls++;
        throw new Error("no idea");
      },
    };
    const opened = await afterReading(1, { policy: clearingBy() });
    await opened.reopen({ policy: clearingBy(failing) });
    for (let turn = 0; turn < 5; turn++) {
      opened.clock.advance(PAUSE_MS);
      await opened.session.append(`Turn ${turn}.`);
      await opened.ask();
    }
    const failures = of(opened.events, "rule-failed");
    expect(failures).toMatchObject(
      [false, false, true].map((paused) => ({
        rule: "failing",
        where: "propose",
        because: "it threw: no idea",
        paused,
      })),
    );
    expect(calls).toBe(3);
    await opened.reopen({ policy: clearingBy(failing) });
    opened.clock.advance(PAUSE_MS);
    await opened.session.append("Once more.");
    await opened.session.prepare();
    expect(calls).toBe(4);
    expect(opened.session.history.decision().failed).toMatchObject([{ rule: "failing", why: "it threw: no idea" }]);
  });

  test("does not stop a request if the rule decides about compactions", async () => {
    const opened = await openJudged({
      policy: compactingWhen(() => {
        throw new Error("no idea");
      }),
    });
    for (let turn = 0; turn < 5; turn++) {
      await opened.session.append(`Turn ${turn}.`);
      await opened.ask();
    }
    expect(of(opened.events, "rule-failed").map(({ rule, where, paused }) => [rule, where, paused])).toEqual([
      ["compact", "when", false],
      ["compact", "when", false],
      ["compact", "when", true],
    ]);
  });
});

describe("a compaction that is held", () => {
  /** A session that was opened again, and whose policy wants to compact to save money. */
  async function reopened() {
    const begun = await afterReading(8, { policy: clearingBy() });
    const policy = compactingWhen(() => ({ level: "if-it-pays", because: "the test wants it" }));
    const estimates = { keptTokens: 1_000, outputTokens: 10, comesBack: { tokens: 0, requests: 0 } };
    const compact = { ...policy.compact, expect: estimates };
    await begun.reopen({ policy: { ...policy, compact, clear: [whenCold({ keepNewest: 7 })] } });
    begun.clock.advance(PAUSE_MS);
    await begun.session.append("Go on.");
    return begun;
  }

  test("is announced once, does not stop the request, and clearing may still happen", async () => {
    const opened = await reopened();
    await opened.ask();
    expect(of(opened.events, "compaction-announced")).toMatchObject([
      { when: "after-next-message", reason: "economic" },
    ]);
    expect((await decided(opened)).files).toEqual(["0.ts"]);
    const { proposals } = opened.session.history.decision();
    expect(proposals.map(({ rule }) => rule)).toContain("when-cold");
    await opened.ask();
    expect(of(opened.events, "compaction-announced")).toHaveLength(1);
    expect(kinds(opened.events)).not.toContain("compaction-started");
  });
});

test("the rule of compactions is not called again for the size of the session while nothing has changed", async () => {
  let calls = 0;
  const when = window();
  const policy = compactingWhen((state) => {
    calls++;
    return when(state);
  });
  const opened = await openJudged({ policy });
  await opened.session.append("Hello.");
  await opened.ask(answer("Hi."));
  const first = opened.session.view.size().compaction;
  const asked = calls;
  for (let count = 0; count < 10; count++) expect(opened.session.view.size().compaction).toEqual(first);
  expect(calls).toBe(asked);
  await opened.session.append("Another message.");
  opened.session.view.size();
  expect(calls).toBeGreaterThan(asked);
  const again = calls;
  opened.session.view.size();
  expect(calls).toBe(again);
  await opened.session.mark("ticket", "closed");
  opened.session.view.size();
  expect(calls).toBeGreaterThan(again);
  const marked = calls;
  await opened.session.configure({ system: "You are careful. ".repeat(200) });
  opened.session.view.size();
  expect(calls).toBeGreaterThan(marked);
});
