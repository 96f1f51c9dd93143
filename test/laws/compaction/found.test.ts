import { expect, test } from "vitest";
import { survive } from "./survive.ts";

// Cases that broke a law once, kept by what was wrong.

test("a server that counts the answer refuses a view that fits, after it had refused one that did not", async () => {
  const long = { windows: 0.1, script: 0 };
  const { refusals, ways } = await survive({
    profile: "OpenAI Chat",
    windowTokens: 8_000,
    trueShare: 0.6,
    seed: 815_857_291,
    summarizer: "call an unknown tool",
    task: { windows: 0.002, script: 4 },
    before: Array.from({ length: 9 }, (_, index) => ({ ...long, script: (index + 4) % 5 })),
    turns: [
      {
        say: { windows: 0.0027, script: 3 },
        rounds: 0,
        calls: 1,
        result: { windows: 0.3, script: 0 },
        afterwards: "nothing",
      },
    ],
  });
  expect(refusals).toBe(2);
  // The second refusal is answered by asking for a shorter answer: nothing more is folded for it.
  expect(ways).toHaveLength(2);
});

test("a short message of the user's stands whole beside a long task, where a cut would save nothing", async () => {
  const earlier = Array.from({ length: 8 }, (_, index) => ({ windows: 1 / 8, script: (index + 3) % 5 }));
  const { refusals } = await survive({
    profile: "Anthropic, thinking bound",
    windowTokens: 8_000,
    trueShare: 0.45,
    seed: 2_042_357_994,
    summarizer: "good without tools",
    task: { windows: 0.033451057209769895, script: 2 },
    before: earlier,
    turns: [
      {
        say: { windows: 0.0037274213034325103, script: 2 },
        rounds: 1,
        calls: 1,
        result: { windows: 0.18094212681648605, script: 3 },
        afterwards: "reopen",
      },
    ],
  });
  expect(refusals).toBeGreaterThan(0);
});

test("a window that turns out to be smaller than the last compaction assumed is compacted again", async () => {
  const { ways } = await survive({
    profile: "OpenAI Chat",
    windowTokens: 8_000,
    trueShare: 0.45,
    seed: 2_146_430_960,
    summarizer: "good",
    task: { windows: 0.0098, script: 1 },
    before: Array.from({ length: 8 }, (_, index) => ({ windows: 1 / 8, script: (index + 4) % 5 })),
    turns: [
      {
        say: { windows: 0.0395, script: 2 },
        rounds: 1,
        calls: 1,
        result: { windows: 0.375, script: 0 },
        afterwards: "nothing",
      },
    ],
  });
  expect(ways.length).toBeGreaterThanOrEqual(2);
});

const halves = [
  { windows: 0.5, script: 0 },
  { windows: 0.5, script: 1 },
];
const quiet = { rounds: 0, calls: 1, result: { windows: 1, script: 0 }, afterwards: "nothing" } as const;

test("a compaction and the preparation that failed before it share the calls of a turn", async () => {
  const { summaryCalls, ways } = await survive({
    profile: "Anthropic, thinking bound",
    windowTokens: 8_000,
    trueShare: 1,
    seed: 1_615_251_434,
    summarizer: "good at the third try",
    task: { windows: 0.05, script: 0 },
    before: [
      { windows: 0.5, script: 2 },
      { windows: 0.5, script: 3 },
    ],
    turns: [
      { ...quiet, say: { windows: 0.0432, script: 0 }, rounds: 2, calls: 2 },
      { ...quiet, say: { windows: 0.0325, script: 0 } },
      { ...quiet, say: { windows: 1, script: 0 } },
    ],
  });
  expect(summaryCalls).toBeGreaterThan(8);
  expect(ways.length).toBeGreaterThan(1);
});

test("a compaction does not wait for a prepared summary and then as long again for its own", async () => {
  const { summaryCalls } = await survive({
    profile: "llama.cpp",
    windowTokens: 8_000,
    trueShare: 1,
    seed: 800_835_299,
    summarizer: "slow drip",
    task: { windows: 0.05, script: 0 },
    before: halves,
    turns: [
      { ...quiet, say: { windows: 0.05, script: 0 } },
      { ...quiet, say: { windows: 0.05, script: 1 } },
      { ...quiet, say: { windows: 0.05, script: 4 }, rounds: 1 },
    ],
  });
  expect(summaryCalls).toBeGreaterThan(1);
});

test("the user's words stand once outside a summary that repeats them", async () => {
  const { ways } = await survive({
    profile: "Anthropic, thinking bound",
    windowTokens: 16_000,
    trueShare: 0.6,
    seed: 1_531_044_441,
    summarizer: "echo under headings",
    task: { windows: 0.05, script: 0 },
    before: halves,
    turns: [
      { ...quiet, say: { windows: 0.05, script: 0 } },
      { ...quiet, say: { windows: 0.007, script: 2 }, rounds: 1, calls: 3, result: { windows: 1, script: 2 } },
    ],
  });
  expect(ways).not.toEqual([]);
});
