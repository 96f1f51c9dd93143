import Anthropic from "@anthropic-ai/sdk";
import { serve } from "@palimpsest/provider-simulator";
import { readStream } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import {
  coding,
  economic,
  fixedLifetimes,
  keepWarm,
  nearCompaction,
  notesByGrowth,
  type Policy,
  whenIdle,
  window,
} from "palimpsest/policy";
import { expect, onTestFinished, test } from "vitest";
import { headTokensOf } from "./head.ts";
import { needsOf } from "./needs.ts";
import { ENGINE_POLICIES } from "./policies.ts";
import type { Recording } from "./recording.ts";
import { findReplayModel } from "./replay-model.ts";
import { figuresOf, runPrice } from "./replay-run.ts";
import { type Connect, type ReplayOptions, replaySession } from "./replay-session.ts";
import { appendOnly } from "./rules/plain-rules.ts";
import { replayRule } from "./rules/replay-rule.ts";
import { writingMs } from "./simulated-summary.ts";
import { sampleRecording } from "./testing/sample-recording.ts";

const model = { ...findReplayModel("claude-opus-4-8")!, windowTokens: 200_000 };
const replayed = (recording: Recording, terms: Pick<ReplayOptions, "policy"> & Partial<ReplayOptions>) =>
  replaySession(recording, needsOf(recording), { model, ...terms });

/** Compacts from a size on that a short recording reaches. */
function early(cache: Policy["cache"] = fixedLifetimes("5m", "5m"), more: Partial<Policy["compact"]> = {}): Policy {
  const { compact, ...others } = coding();
  const when = economic({ fromTokens: 30_000, inTurnFromTokens: 30_000 });
  return { ...others, compact: { ...compact, when, prepareAhead: undefined, ...more }, cache };
}

test("appending alone costs on the engine what it costs on a list of messages: within 1%", async () => {
  const recording = await sampleRecording({ rounds: 80 });
  const policy = ENGINE_POLICIES.find(({ name }) => name === "full-window")!.policyFor("5m");
  const engine = await replayed(recording, { policy });
  const terms = { windowTokens: 200_000, lifetimesMs: [300_000], headTokens: headTokensOf(recording) };
  const [light] = await replayRule(recording, needsOf(recording), appendOnly, terms);
  const ratio = runPrice(light!, model.prices) / runPrice(engine, model.prices);
  expect(Math.abs(ratio - 1)).toBeLessThan(0.01);
  expect(light!.requests.map(({ source }) => source)).toEqual(engine.requests.map(({ source }) => source));
  expect(engine).toMatchObject({ compactedAt: [], cleared: 0, needs: light!.needs });
  const { needs, met, strict, refetches } = engine.needs;
  expect({ met, strict, refetches }).toEqual({ met: needs, strict: needs, refetches: 0 });
});

test("over HTTP with the real client, the same is counted", async () => {
  const recording = await sampleRecording({ rounds: 40, lines: 400 });
  const connect: Connect = (service) => {
    const server = serve({ faces: [service] });
    onTestFinished(async () => (await server).close());
    return async (request) => {
      const client = new Anthropic({ apiKey: "none", baseURL: (await server).url, maxRetries: 0 });
      return readStream(anthropic(client).send(request));
    };
  };
  const policy = early(fixedLifetimes("5m", "5m", { keepWarm: keepWarm() }));
  const inProcess = await replayed(recording, { policy });
  expect(await replayed(recording, { policy, connect })).toEqual(inProcess);
  expect(inProcess.compactedAt).not.toEqual([]);
  expect(inProcess.requests.map(({ source }) => source)).toContain("ping");
});

test("what was cleared and is needed again is fetched: one more request, and the result once more", async () => {
  const recording = await sampleRecording({ rounds: 60, turns: { everyRounds: 7, afterMinutes: 10 } });
  const { compact, ...others } = coding();
  const clear = [whenIdle({ minutes: 5, keepNewest: 1 })];
  const policy = { ...others, compact: { ...compact, when: window() }, clear, cache: fixedLifetimes("5m", "5m") };
  const run = await replayed(recording, { policy });
  expect(run.cleared).toBeGreaterThan(0);
  expect(run.needs.refetches).toBeGreaterThan(0);
  const { requests } = figuresOf(run, model.prices);
  expect(requests.conversation).toBe(60);
  expect(requests.refetch).toBeGreaterThan(0);
  expect(run.needs.met).toBeLessThan(run.needs.needs);
});

test("thinking is signed, sent back, and counted as it was recorded", async () => {
  const recording = await sampleRecording({ rounds: 40, signatureCharacters: 2_000 });
  const sonnet = { ...findReplayModel("claude-sonnet-5-5")!, windowTokens: 200_000 };
  const policy = ENGINE_POLICIES.find(({ name }) => name === "full-window")!.policyFor("5m");
  const run = await replayed(recording, { policy, model: sonnet });
  // All but that of the last response.
  expect(run.thinkingSent).toBe(39);
  const terms = { windowTokens: 200_000, lifetimesMs: [300_000], headTokens: headTokensOf(recording) };
  const [light] = await replayRule(recording, needsOf(recording), appendOnly, terms);
  expect(runPrice(light!, model.prices) / runPrice(run, model.prices)).toBeCloseTo(1, 2);
});

test("a session waits while a summary is written that its next request needs", async () => {
  const recording = await sampleRecording({ rounds: 50, lines: 400 });
  const run = await replayed(recording, { policy: early() });
  const summaries = run.requests.filter(({ source }) => source === "summary");
  expect(summaries).not.toEqual([]);
  expect(run.waitedMs).toBeCloseTo(
    summaries.reduce((sum, { outputTokens }) => sum + writingMs(outputTokens), 0),
    -2,
  );
});

test("a summary that is prepared is installed once it would be ready, and the session waits less for it", async () => {
  const recording = await sampleRecording({ rounds: 80, lines: 400 });
  const prepareAhead = nearCompaction({ idleShare: 0.8, inTurnShare: 0.8, maxTailTokens: 20_000 });
  const [waiting, prepared, hurried] = await Promise.all(
    [{}, { prepareAhead }, { prepareAhead, patience: "when-required" } as const].map((more) =>
      replayed(recording, { policy: early(undefined, more) }),
    ),
  );
  expect(waiting!.prepared).toEqual({ written: 0, installed: 0, dropped: {} });
  expect(prepared!.prepared!.installed).toBeGreaterThan(0);
  expect(prepared!.compactedAt.length).toBeGreaterThan(0);
  expect(prepared!.waitedMs).toBeLessThan(waiting!.waitedMs);
  // Every summary is a request, whatever became of it.
  const summaries = prepared!.requests.filter(({ source }) => source === "summary").length;
  expect(summaries).toBeGreaterThanOrEqual(prepared!.prepared!.written);
  expect(hurried!.waitedMs).toBe(0);
  expect(hurried!.prepared!.installed).toBe(hurried!.compactedAt.length);
});

test("notes and summaries are charged", async () => {
  const recording = await sampleRecording({ rounds: 50, lines: 400 });
  const { compact, ...others } = early();
  // Only the summary survives, so that content is fetched again.
  const policy: Policy = { ...others, clear: [], compact: { ...compact, keep: [] } };
  const notes = notesByGrowth({ firstTokens: 1_000, growthTokens: 5_000, toolCalls: 3 });
  const sources = async (changed: Policy): Promise<ReadonlySet<string>> =>
    new Set((await replayed(recording, { policy: changed })).requests.map(({ source }) => source));
  expect(await sources(policy)).toEqual(new Set(["conversation", "summary", "refetch"]));
  expect(await sources({ ...policy, notes })).toContain("notes");
});
