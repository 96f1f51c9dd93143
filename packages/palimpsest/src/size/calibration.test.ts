import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Calibration,
  DEFAULT_PRIOR,
  estimateTokens,
  learn,
  padTokens,
  readCalibration,
  startCalibration,
} from "./calibration.ts";
import { addFeatures, FEATURE_NAMES, type Features, featuresOf, NO_FEATURES } from "./features.ts";

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

describe("before anything was observed", () => {
  const start = startCalibration();

  test("an estimate is what the prior says", () => {
    const features = { ...NO_FEATURES, words: 100, letters: 400, images: 1 };
    expect(estimateTokens(start, features)).toBe(100 * 0.6 + 400 * 0.1 + 2_000);
    for (const name of FEATURE_NAMES) {
      const tokens = estimateTokens(start, { ...NO_FEATURES, [name]: 1_000 });
      expect(tokens).toBeGreaterThan(0);
      expect(tokens).toBe(Math.round(1_000 * DEFAULT_PRIOR.tokensPer[name]));
    }
  });

  test("a model can bring its own prior", () => {
    const prior = { tokensPer: { ...DEFAULT_PRIOR.tokensPer, words: 2 } };
    expect(estimateTokens(startCalibration(prior), { ...NO_FEATURES, words: 100 })).toBe(200);
  });

  test("an estimate is padded by a third, rounded up", () => {
    expect(padTokens(start, 300)).toBe(400);
    expect(padTokens(start, 100)).toBe(134);
    expect(padTokens(start, 6_000)).toBe(8_000);
  });

  test("what a tokenizer counted is taken as it is", () => {
    expect(estimateTokens(start, { ...NO_FEATURES, countedTokens: 1_234 })).toBe(1_234);
  });
});

describe("after the first lessons", () => {
  const words = { ...NO_FEATURES, words: 10_000 };

  test("what was seen of one kind of content says nothing of others", () => {
    const learned = learn(startCalibration(), { features: words, tokens: 9_000 });
    for (const name of ["numbers", "lines", "emoji", "images"] as const) {
      const features = { ...NO_FEATURES, [name]: 1_000 };
      expect(estimateTokens(learned, features)).toBe(estimateTokens(startCalibration(), features));
    }
    expect(estimateTokens(learned, words)).toBeGreaterThan(8_000);
  });

  test("one good estimate does not make the pad small", () => {
    const features = PROSE;
    const learned = learn(startCalibration(), { features, tokens: estimateTokens(startCalibration(), features) });
    expect(padTokens(learned, 1_000)).toBeLessThan(1_330);
    expect(padTokens(learned, 1_000)).toBeGreaterThan(1_300);
  });

  test.each([
    [60, 1_200],
    [600_000, 30_000],
  ])(
    "however often %i tokens are reported for what should be 6,000, the estimate goes no further than %i",
    (tokens, last) => {
      const learned = Array.from({ length: 300 }).reduce<Calibration>(
        (state) => learn(state, { features: words, tokens }),
        startCalibration(),
      );
      expect(estimateTokens(learned, words)).toBe(last);
    },
  );
});

describe("after a session of some rounds", () => {
  const learned = observeAll(Array.from({ length: 60 }, (_, index) => (index % 3 === 0 ? PROSE : CODE)));

  test.each([
    ["prose", PROSE],
    ["code", CODE],
    ["both", addFeatures(PROSE, CODE)],
  ])("%s is estimated within 4%, from more than 10% before", (_, features) => {
    const errorOf = (state: Calibration): number =>
      Math.abs(estimateTokens(state, features) / trueTokens(features) - 1);
    expect(errorOf(learned)).toBeLessThan(0.04);
    expect(errorOf(startCalibration())).toBeGreaterThan(0.1);
  });

  test("the pad is small", () => {
    expect(padTokens(learned, 1_000)).toBeLessThan(1_150);
  });

  test("one observation of something unseen hardly moves the estimate", () => {
    const surprised = learn(learned, { features: PROSE, tokens: trueTokens(PROSE) + 50_000 });
    expect(estimateTokens(surprised, PROSE) / estimateTokens(learned, PROSE)).toBeLessThan(1.05);
    const missing = learn(learned, { features: PROSE, tokens: 1 });
    expect(estimateTokens(missing, PROSE) / estimateTokens(learned, PROSE)).toBeGreaterThan(0.97);
  });

  test("one observation that is a little off moves the estimate a little", () => {
    const moved = learn(learned, { features: PROSE, tokens: 1.3 * trueTokens(PROSE) });
    const ratio = estimateTokens(moved, PROSE) / estimateTokens(learned, PROSE);
    expect(ratio).toBeGreaterThan(1.02);
    expect(ratio).toBeLessThan(1.06);
  });

  test("another tokenizer is learned after the first", () => {
    const doubled = Array.from({ length: 200 }).reduce<Calibration>(
      (state) => learn(state, { features: PROSE, tokens: 2 * trueTokens(PROSE) }),
      learned,
    );
    expect(estimateTokens(doubled, PROSE) / (2 * trueTokens(PROSE))).toBeCloseTo(1, 1);
  });

  test("the state survives storage as JSON", () => {
    expect(readCalibration(JSON.parse(JSON.stringify(learned)))).toEqual(learned);
  });
});

test.each([
  ["a request that did not grow", { features: PROSE, tokens: 0 }],
  ["a request that lost something", { features: PROSE, tokens: -500 }],
  ["nothing known to be new", { features: NO_FEATURES, tokens: 500 }],
])("%s teaches nothing", (_, observation) => {
  expect(learn(startCalibration(), observation)).toEqual(startCalibration());
});

test.each([undefined, null, 7, {}, { ...startCalibration(), ratios: [1] }, { ...startCalibration(), prior: {} }])(
  "a stored state that does not fit (%j) is replaced by a new one",
  (stored) => {
    expect(readCalibration(stored)).toEqual(startCalibration());
  },
);

test("whatever is observed, estimates stay finite and positive, and the pad between nothing and double", () => {
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
