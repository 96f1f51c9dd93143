import { expect, test } from "vitest";
import type { Answer } from "../../forks/forks.ts";
import { ProviderError, type ProviderFailure } from "../../providers/provider.ts";
import type { SessionCore } from "../../state/core.ts";
import { ALL_CALLS, type ModelCallsOptions, SummaryCalls } from "./model-calls.ts";

const USAGE = { freshTokens: 1_000, cacheReadTokens: 2_000, cacheWriteTokens: 0, outputTokens: 100 };
const ANSWER: Answer = { text: "So far.", stop: "end", usage: USAGE, model: "m", refusedCalls: 2 };
const PRICES = { input: 5, cacheRead: 0.5, cacheWrite5m: 6.25, cacheWrite1h: 10, output: 25 };

type Step = Answer | ProviderFailure | "silent" | Error;
type Options = Partial<ModelCallsOptions>;

/** A model that does this, step by step, and a clock that runs as fast as it is waited for. */
async function ask(steps: readonly Step[], options: Options = {}, questions = 1) {
  let nowMs = 0;
  let made = 0;
  const waits: number[] = [];
  const progress: number[] = [];
  const clock = {
    now: () => nowMs,
    async wait(ms: number, signal: AbortSignal) {
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) return;
      nowMs += ms;
      waits.push(ms);
    },
  };
  const forks: Pick<ModelCallsOptions["forks"], "converse"> = {
    converse: async () => ({
      async ask() {},
      async close() {},
      async answer({ onPart } = {}) {
        const step = steps[made++]!;
        if (step === "silent") return new Promise<never>(() => {});
        if (step instanceof Error) throw step;
        if ("kind" in step) throw new ProviderError("p", step, "no");
        onPart?.({ kind: "text", text: step.text } as never);
        return step;
      },
    }),
  };
  const facts = { of: (model: string) => (model === "m" ? { prices: PRICES } : {}) };
  const context = { ports: { clock, facts } };
  const calls = new SummaryCalls(context as unknown as SessionCore, {
    forks,
    signal: new AbortController().signal,
    compactionRequest: () => undefined,
    source: "compact",
    model: "m",
    maxOutputTokens: 1_000,
    maxCalls: 10,
    callsBefore: 0,
    stallMs: 60_000,
    deadlineMs: 3_600_000,
    onProgress: (characters) => progress.push(characters),
    ...options,
  });
  const conversation = await calls.fork();
  let result = await conversation.ask("What was done?");
  for (let more = 1; more < questions; more++) result = await conversation.ask("And then?");
  const why = result.kind === "failed" ? result.failure.kind : result.answer;
  return { result: why, made, waits, progress, nowMs, spent: calls.spent, calls };
}

const OVERLOADED: ProviderFailure = { kind: "overloaded" };
const soon: ProviderFailure = { kind: "rate-limited", retryAfterMs: 30_000 };
const late: ProviderFailure = { kind: "rate-limited", retryAfterMs: 30_001 };
const SAID = { text: "So far.", stop: "end", calls: 2 };

test("an answer is paid for, and those of one compaction are added up", async () => {
  const { result, spent, progress } = await ask([ANSWER, { ...ANSWER, model: "unpriced" }], {}, 2);
  expect(result).toEqual(SAID);
  expect(spent).toMatchObject({ calls: 2, time: "left" });
  expect(spent.priceUsd).toBeCloseTo((1_000 * 5 + 2_000 * 0.5 + 100 * 25) / 1e6, 10);
  expect(spent.used).toEqual({ freshTokens: 2_000, cacheReadTokens: 4_000, cacheWriteTokens: 0, outputTokens: 200 });
  expect(progress).toEqual([7, 14]);
});

test.each<[string, readonly Step[], unknown, number, number]>([
  [
    "a lost connection is tried again, later each time",
    [{ kind: "unreachable" }, { kind: "broken-stream" }, ANSWER],
    SAID,
    3,
    3_000,
  ],
  ["a busy service is given longer", [OVERLOADED, OVERLOADED, ANSWER], SAID, 3, 6_000],
  ["the time that a service names is waited for", [soon, ANSWER], SAID, 2, 30_000],
  ["and not if it is long", [late, ANSWER], "rate-limited", 1, 0],
  ["two more tries are made, and no third", [OVERLOADED, OVERLOADED, OVERLOADED, ANSWER], "overloaded", 3, 6_000],
  ["what is refused is not asked again", [{ kind: "refused" }, ANSWER], "refused", 1, 0],
  ["nor what is too long", [{ kind: "overflow", by: "tokens" }, ANSWER], "overflow", 1, 0],
  ["nor what failed on our side", [new Error("disk"), ANSWER], "refused", 1, 0],
  ["a silent call is made once more", ["silent", ANSWER], SAID, 2, 61_000],
  ["and not twice", ["silent", "silent", ANSWER], "broken-stream", 2, 121_000],
])("of calls that fail, %s", async (_, steps, result, made, nowMs) => {
  const asked = await ask(steps);
  expect(asked).toMatchObject({ result, made, nowMs });
  expect(asked.spent.calls).toBe(made);
});

test.each<[string, Options, readonly Step[], unknown, number]>([
  ["the last that may be made", { maxCalls: 3, callsBefore: 2 }, [ANSWER], SAID, 1],
  ["one more", { maxCalls: 3, callsBefore: 3 }, [ANSWER], "no-calls-left", 0],
  ["a try of the same call counts", { maxCalls: 3, callsBefore: 2 }, [OVERLOADED, ANSWER], "no-calls-left", 1],
  ["all were made before", { callsBefore: ALL_CALLS }, [ANSWER], "no-calls-left", 0],
  ["the time is over", { deadlineMs: 0 }, [ANSWER], "no-calls-left", 0],
  ["the time is not over yet", { deadlineMs: 1 }, [ANSWER], SAID, 1],
])("a call is made as long as calls and time are left: %s", async (_, options, steps, result, made) => {
  const asked = await ask(steps, options);
  expect(asked).toMatchObject({ result, made });
  expect(asked.spent.time).toBe(options.deadlineMs === 0 ? "used-up" : "left");
});

test("after two silent calls no other is made in the same compaction", async () => {
  const asked = await ask(["silent", "silent", ANSWER], {}, 2);
  expect(asked).toMatchObject({ result: "no-calls-left", made: 2 });
});

test("a provider that takes no request to fold is not asked", async () => {
  const { calls } = await ask([ANSWER]);
  expect(await calls.provider("Keep the names.")).toBeUndefined();
});
