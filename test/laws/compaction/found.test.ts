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
