import { manualClock } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import type { ModelFacts } from "../providers/models.ts";
import { KnownFacts } from "./limits.ts";
import type { SessionOptions } from "./options.ts";

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
  return { known: new KnownFacts(provider as never, { from, clock: clock as never }), asked, clock };
}

test.each([
  [undefined, ["unknown"]],
  ["if-unknown", ["unknown"]],
  ["asked", ["known", "unknown"]],
  ["table", []],
] as const)("a provider is asked about models as the session is told (%s), and once", async (from, wanted) => {
  const { known, asked } = open(from, async () => facts(77_000));
  for (const model of ["known", "unknown", "known", "unknown"]) await known.learn(model);
  expect(asked).toEqual(wanted);
  for (const model of wanted) expect(known.of(model).windowTokens).toBe(77_000);
  if (from !== "asked") expect(known.of("known").windowTokens).toBe(200_000);
});

test("a provider that knows nothing, or does not answer in time, leaves the table", async () => {
  const { known, asked } = open("asked", async () => undefined);
  await known.learn("known");
  expect(known.of("known").windowTokens).toBe(200_000);
  await known.learn("known");
  expect(asked).toEqual(["known", "known"]);
  const silent = open("asked", () => new Promise(() => undefined));
  const learned = silent.known.learn("known");
  await silent.clock.pass(5_000, learned);
  await learned;
  expect(silent.known.of("known").windowTokens).toBe(200_000);
});
