import { expect, test } from "vitest";
import { readUsage } from "./read-response.ts";

test("separates cached tokens from a total that includes them", () => {
  const usage = {
    input_tokens: 1_000,
    output_tokens: 20,
    input_token_details: { cache_read: 700, cache_creation: 200 },
    output_token_details: { reasoning: 5 },
  };
  expect(readUsage(usage)).toEqual({
    freshTokens: 100,
    cacheReadTokens: 700,
    cacheWriteTokens: 200,
    outputTokens: 20,
    reasoningTokens: 5,
  });
});

test("counts the total as fresh input if a model leaves cached tokens out", () => {
  const usage = { input_tokens: 30, output_tokens: 20, input_token_details: { cache_read: 700 } };
  expect(readUsage(usage)).toMatchObject({ freshTokens: 30, cacheReadTokens: 700 });
});

test("reads a missing report as no usage", () => {
  expect(readUsage(undefined)).toEqual({ freshTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 });
});
