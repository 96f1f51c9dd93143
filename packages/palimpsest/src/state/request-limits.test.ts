import { expect, test } from "vitest";
import { anthropic } from "../providers/anthropic.ts";
import type { ModelFacts } from "../providers/models.ts";
import { SETTINGS } from "../settings/definitions.ts";
import type { Settings } from "../settings/settings.ts";
import type { Configuration } from "../view/view.ts";
import { defaultOutputTokens, type RequestLimits, termsOf, windowOfModel } from "./limits.ts";

const DEFAULTS = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, { default: value }]) => [name, value]),
) as unknown as Settings;
const FACTS = anthropic({} as never).factsOf("claude-opus-5-5");
const CONFIGURATION = { provider: "anthropic", model: "claude-opus-5-5", parameters: {} } as unknown as Configuration;
const terms = (facts: Partial<ModelFacts>, settings: Partial<Settings> = {}, limitTokens?: number) =>
  termsOf(CONFIGURATION, { ...FACTS, windowTokens: 200_000, ...facts } as ModelFacts, {
    settings: { ...DEFAULTS, ...settings },
    limitTokens,
    toolSearch: "own",
  });

test("the window is the model's, unless the provider has named a smaller limit", () => {
  const own = terms({});
  expect(terms({}, {}, 150_000)).toMatchObject({ known: "asked", budget: { windowTokens: 150_000 } });
  expect(terms({}, {}, own.budget.windowTokens)).toMatchObject({ known: own.known });
  expect(terms({}, {}, 999_999_999).budget).toEqual(own.budget);
});

test("who says how large a window is: the table, the user, or nobody", () => {
  const settings = { ...DEFAULTS };
  const nameless = { ...FACTS, windowTokens: undefined, maxInputTokens: undefined } as unknown as ModelFacts;
  expect(windowOfModel("some-model", nameless, { settings }).known).toBe("guessed");
  const given = windowOfModel("some-model", nameless, { settings: { ...settings, "window.tokens": 77_000 } });
  expect(given).toEqual({ tokens: 77_000, known: "given" });
});

test("compaction is automatic only where it is on at all, and not switched off", () => {
  expect(terms({}).budget.autoCompaction).toBe("on");
  expect(terms({}, { "compaction.auto": "ask" }).budget.autoCompaction).toBe("on");
  expect(terms({}, { "compaction.auto": "off" }).budget.autoCompaction).toBe("off");
  expect(terms({}, { "compaction.enabled": "off" }).budget.autoCompaction).toBe("off");
});

test.each([
  ["streamed", 200_000, 64_000, 32_000],
  ["streamed", 100_000, 64_000, 25_000],
  ["streamed", 40_000, 64_000, 20_000],
  ["streamed", 200_000, 8_000, 8_000],
  ["whole", 200_000, 64_000, 20_000],
  ["whole", 200_000, 8_000, 8_000],
] as const)(
  "an answer that is %s, in a window of %i, by a model that writes %i, may have %i tokens",
  (way, windowTokens, maxOutputTokens, wanted) => {
    const limits = { facts: { maxOutputTokens }, budget: { windowTokens } } as unknown as RequestLimits;
    expect(defaultOutputTokens(limits, way)).toBe(wanted);
  },
);
