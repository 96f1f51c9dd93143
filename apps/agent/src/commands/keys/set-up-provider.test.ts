import { expect, test } from "vitest";
import { chooseProvider, type ProviderChoice } from "../choose-provider.ts";
import { askForProvider } from "./set-up-provider.ts";

const MODELS = ["claude-opus-5-5", "claude-sonnet-5-5"];

async function setUp(...answers: readonly (string | undefined)[]) {
  const waiting = [...answers];
  const printed: string[] = [];
  const kept: unknown[] = [];
  const next = async (question: string): Promise<string | undefined> => {
    printed.push(question);
    if (waiting.length === 0) throw new Error(`nobody answers ${question}`);
    return waiting.shift();
  };
  const choice = await askForProvider(chooseProvider({}, {}), {
    prompter: { ask: next, askSecret: next },
    print: async (line) => void printed.push(line),
    keys: {
      async write(provider, key) {
        kept.push({ provider, key });
        return "the keyring";
      },
    },
    async listModels({ key }: ProviderChoice) {
      if (key !== "good") throw Object.assign(new Error("401"), { status: 401 });
      return MODELS;
    },
    keepChoice: async (one) => void kept.push({ provider: one.provider, model: one.model }),
  });
  return { choice, kept, text: printed.join("\n") };
}

test("tests a key before it stores the key, and offers the standard model", async () => {
  const { choice, kept, text } = await setUp("7", "1", "bad", "good", "claude-opus-55", "");
  expect(choice).toMatchObject({ provider: "anthropic", key: "good", model: "claude-sonnet-5-5" });
  expect(kept).toEqual([
    { provider: "anthropic", key: "good" },
    { provider: "anthropic", model: "claude-sonnet-5-5" },
  ]);
  expect(text).toContain("the key is wrong or has no access (401)");
  expect(text).toContain("Did you mean claude-opus-5-5?");
  expect(text).toContain("The key is kept in the keyring. ANTHROPIC_API_KEY in the environment overrides it.");
});

test("stores nothing if the person leaves", async () => {
  for (const answers of [[undefined], [""], ["2", undefined], ["1", "good", undefined]]) {
    expect(await setUp(...answers)).toMatchObject({ choice: undefined, kept: [] });
  }
});
