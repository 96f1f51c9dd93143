import Anthropic from "@anthropic-ai/sdk";
import { answer, createAnthropic, manualClock, serve, think } from "@palimpsest/provider-simulator";
import { expect, onTestFinished, test } from "vitest";
import type { ClearRule, Policy } from "../policy/policy.ts";
import { type ByProviderNumbers, byProvider, whenCold } from "../policy/rules/clear.ts";
import type { WindowState } from "../policy/window-state.ts";
import { type AnthropicRequest, anthropic } from "../providers/anthropic.ts";
import { clearingBy } from "./testing/policies.ts";
import { createVoice, openReading } from "./testing/reading-session.ts";

const inputSchema = { type: "object" };
const tools = [
  { name: "Read", inputSchema },
  { name: "AskUser", inputSchema, results: "kept" },
] as const;
const BOUND = "claude-opus-5-5";
/** Numbers that a short session reaches. */
const SMALL: ByProviderNumbers = { aboveTokens: 20_000, freeAtLeastTokens: 5_000, keepNewest: 3 };
const KEEP = whenCold({ keepNewest: 3 });

/** A session whose requests go through the real client to a server in this process. */
async function begin(policy: Policy = clearingBy(byProvider(SMALL), KEEP), model = BOUND) {
  const clock = manualClock();
  const voice = createVoice();
  const server = await serve({ faces: [createAnthropic({ clock, script: voice.script })] });
  onTestFinished(() => server.close());
  const provider = anthropic(new Anthropic({ apiKey: "none", baseURL: server.url }), { edits: "asked" });
  const parameters = { thinking: { type: "adaptive" } };
  return openReading({ provider, model, tools, clock, parameters, policy }, voice, (reply) => think("A file.", reply));
}

const editsOf = (request: AnthropicRequest) =>
  (request as { context_management?: { edits: Record<string, unknown>[] } }).context_management?.edits;

test("leaves clearing to the provider, recalls cleared results, and does not count cleared reads", async () => {
  const life = await begin();
  await life.session.append("Read them all.");
  await life.read(1, "AskUser");
  await life.read(24);
  await life.ask(answer("Read."));
  const usage = (await life.entries()).findLast((read) => read.kind === "usage");
  const left = usage?.kind === "usage" ? usage.payload.appliedEdits : undefined;
  // All results except the newest three, and never the user's answers.
  expect(left).toMatchObject({ results: 21, thinkingTurns: 0 });
  expect([...life.session.view.filesRead().keys()]).toEqual(["22.ts", "23.ts", "24.ts"]);
  expect((await life.entries()).filter(({ kind }) => kind === "replace")).toEqual([]);
  const first = (await life.entries()).find(
    (read) => read.kind === "message" && JSON.stringify(read.payload).includes("content of 1.ts"),
  );
  const recalled = await life.session.recall({ entry: first!.sequence });
  expect(recalled.kind === "text" && recalled.text).toBe("content of 1.ts ".repeat(300));
  // The size counts only content that the model sees.
  expect(life.session.view.size().tokens).toBeLessThan(20_000);
  await life.reopen();
  expect([...life.session.view.filesRead().keys()]).toEqual(["22.ts", "23.ts", "24.ts"]);
});

test("explains a cache miss by the provider's edits", async () => {
  const life = await begin();
  await life.session.append("Read them all.");
  await life.read(25);
  const breaks = (await life.lines()).flatMap((line) => line.break ?? []);
  expect(breaks.length).toBeGreaterThan(0);
  for (const { sort, causes, what } of breaks) {
    expect({ sort, causes }).toEqual({ sort: "expected", causes: ["provider-edits"] });
    expect(what.join()).toMatch(/^(asked for other edits,)?left out \d+ results and 0 turns of thinking$/);
  }
  expect((await life.lines()).filter(({ diagnosis }) => diagnosis === "differs")).toEqual([]);
});

test("leaves out old thinking after an hour once, always at the same place, even after a resume", async () => {
  const edits = byProvider({
    ...{ aboveTokens: 3_000, freeAtLeastTokens: 1_000, keepNewest: 0 },
    thinkingAfterIdleMinutes: 60,
  });
  const rule: ClearRule = {
    ...edits,
    propose: (state) => (state.cache.idleMs < 3_600_000 ? undefined : edits.propose(state)),
  };
  const life = await begin(clearingBy(rule));
  for (const words of ["One.", "Two.", "Three."]) {
    await life.session.append(words);
    await life.read(1);
    await life.ask(think("So that is it.", answer(words)));
  }
  life.clock.advance(61 * 60_000);
  await life.session.append("Four.");
  const back = await life.session.prepare();
  expect(editsOf(back)?.[0]).toMatchObject({ keep: { type: "thinking_turns", value: 1 } });
  // The provider keeps these results, so it leaves out no more than before.
  await life.read(2, "AskUser");
  expect(editsOf(await life.session.prepare())?.[0]).toMatchObject({ keep: { type: "thinking_turns", value: 2 } });
  const live = JSON.stringify(await life.session.prepare());
  await life.reopen();
  expect(JSON.stringify(await life.session.prepare())).toBe(live);
  await life.ask(think("All read.", answer("Done.")));
  const applied = (await life.entries()).flatMap((read) =>
    read.kind === "usage" ? [read.payload.appliedEdits?.thinkingTurns ?? 0] : [],
  );
  expect(applied).toEqual([0, 0, 0, 0, 0, 0, 2, 2, 2]);
  // Only the pause costs something. Keeping the rest costs nothing.
  const after = (await life.lines()).slice(-3).map((line) => line.break?.causes);
  expect(after.slice(1)).toEqual([undefined, undefined]);
});

test("clears locally if thinking is free, and sends no edits to a provider without them", async () => {
  const free = await begin(clearingBy(byProvider(SMALL), KEEP), "claude-sonnet-4-6");
  await free.session.append("Read them all.");
  await free.read(6);
  await free.ask(answer("Read."));
  free.clock.advance(6 * 60_000);
  await free.session.append("Go on.");
  const request = await free.session.prepare();
  expect([request.betas, editsOf(request)]).toEqual([undefined, undefined]);
  expect((await free.entries()).filter(({ kind }) => kind === "replace").length).toBe(3);
});

test("counts cleared content again after the edits are switched off", async () => {
  const life = await begin();
  await life.session.append("Read them all.");
  await life.read(25);
  await life.ask(answer("Read."));
  const before = life.session.view.size().tokens;
  await life.session.configure({ parameters: { thinking: { type: "adaptive" }, context_management: { edits: [] } } });
  await life.session.append("Go on.");
  expect(editsOf(await life.session.prepare())).toEqual([]);
  expect(life.session.view.size().tokens).toBeGreaterThan(before + 20_000);
  expect([...life.session.view.filesRead().keys()]).toHaveLength(25);
});

test.each([
  // The forecast counts 23 stubs, and the marks that the provider has put in their place before.
  ["claude-sonnet-4-6", 1.1],
  // Thinking that is bound to the old prompt is not sent again. The forecast still counts it.
  [BOUND, 2],
])("ends a provider's edit with a clearing of its own, and forecasts the next request to %s", async (model, most) => {
  const life = await begin(clearingBy(byProvider(SMALL), whenCold({ keepNewest: 1 })), model);
  await life.session.append("Read them all.");
  await life.read(24);
  await life.ask(answer("Read."));
  const applied = (await life.entries()).flatMap((read) =>
    read.kind === "usage" && read.payload.appliedEdits !== undefined ? [read.payload.appliedEdits.results] : [],
  );
  expect(applied.at(-1)).toBe(21);
  life.clock.advance(3 * 3_600_000);
  await life.session.append("And now?");
  const request = await life.session.prepare();
  expect(editsOf(request)).toBeUndefined();
  const stubs = JSON.stringify(request.messages).match(/\[Cleared to save room/g);
  expect(stubs).toHaveLength(23);
  const forecast = life.session.view.size().tokens;
  await life.ask(answer("Done."));
  const [line] = (await life.lines()).slice(-1);
  const inputTokens = line!.freshTokens + line!.cacheReadTokens + line!.cacheWriteTokens;
  expect(forecast / inputTokens).toBeGreaterThan(1);
  expect(forecast / inputTokens).toBeLessThan(most);
});

test("asks for the same edits once, whatever the rule proposes before later requests", async () => {
  const life = await begin(clearingBy(byProvider({ ...SMALL, freeAtLeastTokens: 1_000 })));
  await life.session.append("Read them all.");
  await life.read(40);
  const decisions = (await life.entries()).filter(({ kind }) => kind === "decision");
  expect(decisions).toMatchObject([{ payload: { rule: "by-provider", action: "ask-provider" } }]);
});

test("shows rules the results that the provider leaves out as cleared, and their tokens nowhere", async () => {
  const seen: WindowState[] = [];
  const watch: ClearRule = {
    name: "watch",
    propose(state) {
      seen.push({ ...state });
      return undefined;
    },
  };
  const life = await begin(clearingBy(byProvider(SMALL), watch));
  await life.session.append("Read them all.");
  await life.read(24);
  await life.ask(answer("Read."));
  life.clock.advance(3 * 3_600_000);
  await life.session.append("And now?");
  await life.session.prepare();
  const { results, size, cache } = seen.at(-1)!;
  expect(results.map(({ shown }) => shown)).toEqual([...Array(21).fill("cleared"), ...Array(3).fill("whole")]);
  const whole = results.slice(-3);
  expect(whole[0]!.beforeTokens).toBeLessThan(size.tokens / 2);
  expect(whole[2]!.beforeTokens + whole[2]!.tokens).toBeLessThan(size.tokens);
  // Each result has about 1,362 tokens.
  for (const { tokens } of whole) expect(Math.abs(tokens - 1_362)).toBeLessThan(200);
  for (const { endTokens } of cache.segments) expect(endTokens).toBeLessThanOrEqual(size.tokens);
});
