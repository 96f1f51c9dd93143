import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addFeatures,
  type Calibration,
  DEFAULT_PRIOR,
  estimateTokens,
  FEATURE_NAMES,
  type Features,
  featuresOf,
  learn,
  NO_FEATURES,
  padTokens,
  readCalibration,
  startCalibration,
} from "./calibration.ts";

const PROSE = textOf("It was a bright cold day, and the clocks were striking thirteen. ".repeat(20));
const CODE = textOf('  if (a[i] !== b[0x1f]) { return { "x": 12, "y": 3456 }; }\n'.repeat(20));

function textOf(text: string): Features {
  return featuresOf({ kind: "text", text });
}

/** A tokenizer that differs from the prior, more so on code than on prose. */
function trueTokens({ words, letters, numbers, marks, lines, blocks }: Features): number {
  return Math.round(1.2 * words + 0.05 * letters + 2 * numbers + 1.7 * marks + lines + 12 * blocks);
}

function observeAll(all: readonly Features[], start: Calibration = startCalibration()): Calibration {
  return all.reduce((state, features) => learn(state, { features, tokens: trueTokens(features) }), start);
}

describe("before the first observation", () => {
  const start = startCalibration();

  test("estimates by the prior", () => {
    const features = { ...NO_FEATURES, words: 100, letters: 400, images: 1 };
    expect(estimateTokens(start, features)).toBe(100 * 0.6 + 400 * 0.1 + 2_000);
    for (const name of FEATURE_NAMES) {
      const tokens = estimateTokens(start, { ...NO_FEATURES, [name]: 1_000 });
      expect(tokens).toBeGreaterThan(0);
      expect(tokens).toBe(Math.round(1_000 * DEFAULT_PRIOR.tokensPer[name]));
    }
  });

  test("accepts a model's own prior", () => {
    const prior = { tokensPer: { ...DEFAULT_PRIOR.tokensPer, words: 2 } };
    expect(estimateTokens(startCalibration(prior), { ...NO_FEATURES, words: 100 })).toBe(200);
  });

  test("pads an estimate by a third, rounded up", () => {
    expect(padTokens(start, 300)).toBe(400);
    expect(padTokens(start, 100)).toBe(134);
    expect(padTokens(start, 6_000)).toBe(8_000);
  });

  test("keeps tokens that a tokenizer counted", () => {
    expect(estimateTokens(start, { ...NO_FEATURES, countedTokens: 1_234 })).toBe(1_234);
  });
});

describe("after the first observations", () => {
  const words = { ...NO_FEATURES, words: 10_000 };

  test("learns nothing about other kinds of content", () => {
    const learned = learn(startCalibration(), { features: words, tokens: 9_000 });
    for (const name of ["numbers", "lines", "emoji", "images"] as const) {
      const features = { ...NO_FEATURES, [name]: 1_000 };
      expect(estimateTokens(learned, features)).toBe(estimateTokens(startCalibration(), features));
    }
    expect(estimateTokens(learned, words)).toBeGreaterThan(8_000);
  });

  test("keeps the pad large after one good estimate", () => {
    const features = PROSE;
    const learned = learn(startCalibration(), { features, tokens: estimateTokens(startCalibration(), features) });
    expect(padTokens(learned, 1_000)).toBeLessThan(1_330);
    expect(padTokens(learned, 1_000)).toBeGreaterThan(1_300);
  });

  test.each([
    [60, 1_200],
    [600_000, 30_000],
  ])("moves the estimate of 6,000 tokens, after any number of reports of %i, to %i at most", (tokens, last) => {
    const learned = Array.from({ length: 300 }).reduce<Calibration>(
      (state) => learn(state, { features: words, tokens }),
      startCalibration(),
    );
    expect(estimateTokens(learned, words)).toBe(last);
  });
});

describe("after a session of some rounds", () => {
  const learned = observeAll(Array.from({ length: 60 }, (_, index) => (index % 3 === 0 ? PROSE : CODE)));

  test.each([
    ["prose", PROSE],
    ["code", CODE],
    ["both", addFeatures(PROSE, CODE)],
  ])("estimates %s within 4%, after more than 10% before", (_, features) => {
    const errorOf = (state: Calibration): number =>
      Math.abs(estimateTokens(state, features) / trueTokens(features) - 1);
    expect(errorOf(learned)).toBeLessThan(0.04);
    expect(errorOf(startCalibration())).toBeGreaterThan(0.1);
  });

  test("has a small pad", () => {
    expect(padTokens(learned, 1_000)).toBeLessThan(1_150);
  });

  test("hardly moves the estimate after one observation of unseen content", () => {
    const surprised = learn(learned, { features: PROSE, tokens: trueTokens(PROSE) + 50_000 });
    expect(estimateTokens(surprised, PROSE) / estimateTokens(learned, PROSE)).toBeLessThan(1.05);
    const missing = learn(learned, { features: PROSE, tokens: 1 });
    expect(estimateTokens(missing, PROSE) / estimateTokens(learned, PROSE)).toBeGreaterThan(0.97);
  });

  test("moves the estimate a little after one observation that is a little off", () => {
    const moved = learn(learned, { features: PROSE, tokens: 1.3 * trueTokens(PROSE) });
    const ratio = estimateTokens(moved, PROSE) / estimateTokens(learned, PROSE);
    expect(ratio).toBeGreaterThan(1.02);
    expect(ratio).toBeLessThan(1.06);
  });

  test("learns another tokenizer after the first", () => {
    const doubled = Array.from({ length: 200 }).reduce<Calibration>(
      (state) => learn(state, { features: PROSE, tokens: 2 * trueTokens(PROSE) }),
      learned,
    );
    expect(estimateTokens(doubled, PROSE) / (2 * trueTokens(PROSE))).toBeCloseTo(1, 1);
  });

  test("survives storage as JSON", () => {
    expect(readCalibration(JSON.parse(JSON.stringify(learned)))).toEqual(learned);
  });
});

test.each([
  ["a request that did not grow", { features: PROSE, tokens: 0 }],
  ["a request that lost something", { features: PROSE, tokens: -500 }],
  ["nothing known to be new", { features: NO_FEATURES, tokens: 500 }],
])("learns nothing from %s", (_, observation) => {
  expect(learn(startCalibration(), observation)).toEqual(startCalibration());
});

test.each([undefined, null, 7, {}, { ...startCalibration(), ratios: [1] }, { ...startCalibration(), prior: {} }])(
  "replaces an invalid stored state by a new state: %j",
  (stored) => {
    expect(readCalibration(stored)).toEqual(startCalibration());
  },
);

test("keeps estimates finite and positive, and the pad between zero and double, after any observation", () => {
  const count = fc.nat({ max: 1_000_000 });
  const observation = fc.record({
    features: fc.record({ words: count, numbers: count, blocks: count, ideographs: count, signatureCharacters: count }),
    tokens: fc.integer({ min: -10_000_000, max: 10_000_000 }),
  });
  fc.assert(
    fc.property(fc.array(observation, { maxLength: 50 }), (observations) => {
      let state = startCalibration();
      for (const { features, tokens } of observations) {
        state = learn(state, { features: { ...NO_FEATURES, ...features }, tokens });
      }
      const estimate = estimateTokens(state, PROSE);
      expect(estimate).toBeGreaterThan(0);
      expect(estimate).toBeLessThanOrEqual(5 * estimateTokens(startCalibration(), PROSE) + 1);
      expect(padTokens(state, estimate)).toBeGreaterThanOrEqual(estimate);
      expect(padTokens(state, estimate)).toBeLessThanOrEqual(2 * estimate);
    }),
  );
});
