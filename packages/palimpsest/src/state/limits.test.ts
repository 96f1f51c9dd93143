import { manualClock } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import { anthropic } from "../providers/anthropic.ts";
import type { ModelFacts } from "../providers/models.ts";
import { SETTINGS } from "../settings/definitions.ts";
import type { Settings } from "../settings/settings.ts";
import type { Configuration } from "../view/view.ts";
import {
  defaultOutputTokens,
  leaveRoom,
  limitsOf,
  ModelFactsReader,
  type RequestLimits,
  windowOfModel,
} from "./limits.ts";
import type { SessionOptions } from "./options.ts";

const DEFAULTS = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, { default: value }]) => [name, value]),
) as unknown as Settings;
const FACTS = anthropic({} as never).factsOf("claude-opus-5-5");
const CONFIGURATION = { provider: "anthropic", model: "claude-opus-5-5", parameters: {} } as unknown as Configuration;
const terms = (facts: Partial<ModelFacts>, settings: Partial<Settings> = {}, limitTokens?: number) =>
  limitsOf(CONFIGURATION, { ...FACTS, windowTokens: 200_000, ...facts } as ModelFacts, {
    settings: { ...DEFAULTS, ...settings },
    limitTokens,
    toolSearch: "own",
  });

test("uses the model's window, unless the provider has named a smaller limit", () => {
  const own = terms({});
  expect(terms({}, {}, 150_000)).toMatchObject({ known: "asked", budget: { windowTokens: 150_000 } });
  expect(terms({}, {}, own.budget.windowTokens)).toMatchObject({ known: own.known });
  expect(terms({}, {}, 999_999_999).budget).toEqual(own.budget);
});

test("reports the source of the window: the table, the user, or a guess", () => {
  const settings = { ...DEFAULTS };
  const nameless = { ...FACTS, windowTokens: undefined, maxInputTokens: undefined } as unknown as ModelFacts;
  expect(windowOfModel("some-model", nameless, { settings }).known).toBe("guessed");
  const given = windowOfModel("some-model", nameless, { settings: { ...settings, "window.tokens": 77_000 } });
  expect(given).toEqual({ tokens: 77_000, known: "given" });
});

test("compacts automatically unless compaction is off", () => {
  expect(terms({}).budget.limitTokens).toBe(terms({}).budget.autoCompactTokens);
  expect(terms({}, { compaction: "ask" }).budget.limitTokens).toBe(terms({}).budget.autoCompactTokens);
  expect(terms({}, { compaction: "off" }).budget.limitTokens).toBe(terms({}).budget.usableTokens);
});

test.each([
  ["streamed", 200_000, 64_000, 32_000],
  ["streamed", 100_000, 64_000, 25_000],
  ["streamed", 40_000, 64_000, 20_000],
  ["streamed", 200_000, 8_000, 8_000],
  ["whole", 200_000, 64_000, 20_000],
  ["whole", 200_000, 8_000, 8_000],
] as const)(
  "limits an answer that is %s, in a window of %i, by a model that writes %i, to %i tokens",
  (way, windowTokens, maxOutputTokens, expected) => {
    const limits = { facts: { maxOutputTokens }, budget: { windowTokens } } as unknown as RequestLimits;
    expect(defaultOutputTokens(limits, way)).toBe(expected);
  },
);

describe("ModelFactsReader", () => {
  const facts = (windowTokens: number | undefined): ModelFacts => ({ windowTokens, maxOutputTokens: 1_000 }) as never;

  function open(from: SessionOptions["modelFacts"] | undefined, answer: () => Promise<ModelFacts | undefined>) {
    const asked: string[] = [];
    const clock = manualClock();
    const provider = {
      factsOf: (model: string) => facts(model === "known" ? 200_000 : undefined),
      fetchFacts: async (model: string) => {
        asked.push(model);
        return answer();
      },
    };
    return { reader: new ModelFactsReader(provider as never, { from, clock: clock as never }), asked, clock };
  }

  test.each([
    [undefined, ["unknown"]],
    ["if-unknown", ["unknown"]],
    ["asked", ["known", "unknown"]],
    ["table", []],
  ] as const)("asks the provider about a model once, as the option says (%s)", async (from, models) => {
    const { reader, asked } = open(from, async () => facts(77_000));
    for (const model of ["known", "unknown", "known", "unknown"]) await reader.learn(model);
    expect(asked).toEqual(models);
    for (const model of models) expect(reader.of(model).windowTokens).toBe(77_000);
    if (from !== "asked") expect(reader.of("known").windowTokens).toBe(200_000);
  });

  test("uses the table if the provider knows nothing or does not answer in time", async () => {
    const { reader, asked } = open("asked", async () => undefined);
    await reader.learn("known");
    expect(reader.of("known").windowTokens).toBe(200_000);
    await reader.learn("known");
    expect(asked).toEqual(["known", "known"]);
    const silent = open("asked", () => new Promise(() => undefined));
    const learned = silent.reader.learn("known");
    await silent.clock.pass(5_000, learned);
    await learned;
    expect(silent.reader.of("known").windowTokens).toBe(200_000);
  });
});

describe("leaveRoom", () => {
  test.each([
    ["keeps a text with one character for every four tokens", 4_000, 1_000, undefined],
    [
      "cuts a longer text, and says so",
      4_000,
      1_001,
      "This text has 1001 characters. In a window of 4000 tokens the model reads the first 1000.",
    ],
  ])("%s", (_, windowTokens, characters, cut) => {
    const text = "word ".repeat(300).slice(0, characters);
    const end = cut === undefined ? "" : `\n\n[${cut}]`;
    expect(leaveRoom(text, windowTokens)).toEqual({
      text: `${text.slice(0, 1_000)}${end}`,
      ...(cut === undefined ? {} : { cut }),
    });
  });

  test("never cuts a character in two", () => {
    expect(leaveRoom("😀".repeat(10), 44).text).toMatch(/^(😀){5}\n\n\[This text has 20 characters/);
  });
});
