import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hold, isReplay } from "../hold.ts";
import { type CaseOptions, cases } from "./histories.ts";
import { SUMMARIZERS } from "./summarizers.ts";
import { survive } from "./survive.ts";
import type { Profile } from "./worlds.ts";

const SLOW = process.env["PALIMPSEST_SLOW"] !== undefined;
/** So long a history is rarely summarized by a fork, or at once: one in 300. The long turns below are, by forks. */
const FREQUENT = ["in-parts", "none"];
/** Of the longest turn. */
const ROUNDS = SLOW ? 500 : 80;

interface Size extends Omit<CaseOptions, "profiles"> {
  readonly name: string;
  /** Of each of the two calls of `holdLaws`: in the gate, where each change of the sources brings others, and in `npm run test:slow`. */
  readonly runs: number;
  readonly slowRuns: number;
}

/** Small windows mostly: the laws know no sizes, and an hour of work in a window of 8,000 tokens takes milliseconds. */
const SIZES: readonly Size[] = [
  {
    name: "a little more than the window holds",
    runs: 100,
    slowRuns: 54_000,
    history: [0.5, 1.5],
    maxTurns: 1,
    maxRounds: 1,
    windowTokens: fc.constant(8_000),
  },
  {
    name: "a few windows and turns",
    runs: 30,
    slowRuns: 3_800,
    history: [0.5, 4],
    maxTurns: 3,
    maxRounds: 3,
    windowTokens: fc.constantFrom(8_000, 8_000, 12_000, 16_000),
  },
  {
    name: "up to twenty windows",
    runs: 8,
    slowRuns: 600,
    history: [2, 20],
    maxTurns: 2,
    maxRounds: 2,
    windowTokens: fc.constantFrom(8_000, 8_000, 8_000, 32_000),
  },
  {
    name: "large windows",
    runs: 2,
    slowRuns: 40,
    history: [0.5, 1.2],
    maxTurns: 1,
    maxRounds: 2,
    windowTokens: fc.constantFrom(200_000, 1_000_000),
  },
];

/** Whatever was said before, whatever the model makes of a summary: the session goes on. */
export function holdLaws(profiles: readonly Profile[]): void {
  describe.each(SIZES)("$name", ({ runs, slowRuns, name, ...size }) => {
    const numRuns = SLOW ? slowRuns : runs;

    test("always fits in the end, within its calls and its time, and keeps what must stay", async () => {
      const seen = createCounts();
      await hold(
        `compactions, ${name}, ${profiles.join(" ")}`,
        [cases({ ...size, profiles })],
        async (one) => {
          const { requests, refusals, summaryCalls, ways, outcomes } = await survive(one);
          for (const [what, times] of Object.entries({ requests, refusals, summaryCalls })) seen.add(what, times);
          for (const way of ways) seen.add(way);
          for (const outcome of outcomes) seen.add(outcome);
          if (summaryCalls > 0) seen.add(`asked: ${one.summarizer}`);
        },
        // In the gate the first is as telling as the smallest, and shrinking whole conversations takes long.
        { numRuns, shrinks: "no", counts: seen.all },
      );
      if (isReplay()) return;
      expect(seen.of("requests")).toBeGreaterThanOrEqual(numRuns);
      if (numRuns < 100) return;
      // What is tested must have happened: each way to a summary, refusals by the provider, and the ways to spoil a summary. In the gate a way is
      // asked for two or three times on average: with any seed most of them are.
      for (const way of SLOW ? ["fork", "direct", ...FREQUENT] : FREQUENT) expect(seen.of(way), way).toBeGreaterThan(2);
      expect(seen.of("refusals")).toBeGreaterThan(numRuns / 200);
      const spoilt = Object.keys(SUMMARIZERS).filter((name) => seen.of(`asked: ${name}`) > 0);
      expect(spoilt.length).toBeGreaterThan((SLOW ? 0.9 : 0.6) * Object.keys(SUMMARIZERS).length);
    }, 3_600_000);
  });

  test.each(profiles)(
    `a turn of ${ROUNDS} rounds: %s`,
    async (profile) => {
      const result = { windows: 0.1, script: 3 };
      const turn = {
        say: { windows: 0.01, script: 0 },
        rounds: ROUNDS,
        calls: 1,
        result,
        afterwards: "nothing",
      } as const;
      const world = { profile, windowTokens: 8_000, trueShare: 1, seed: 7, summarizer: "good" };
      const { ways } = await survive({ ...world, task: turn.say, before: [], turns: [turn] });
      expect(ways.length).toBeGreaterThan(10);
      expect(ways).toContain("fork");
    },
    600_000,
  );
}

function createCounts() {
  const counts = new Map<string, number>();
  return {
    add: (what: string, times = 1) => counts.set(what, (counts.get(what) ?? 0) + times),
    of: (what: string): number => counts.get(what) ?? 0,
    all: () => Object.fromEntries(counts),
  };
}
