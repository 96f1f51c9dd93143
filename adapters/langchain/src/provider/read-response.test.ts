import { expect, test } from "vitest";
import { readUsage } from "./read-response.ts";

test("input is counted in one number, with what was read from the cache and written to it", () => {
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

test("where a model leaves out what was cached, the number is the fresh input", () => {
  const usage = { input_tokens: 30, output_tokens: 20, input_token_details: { cache_read: 700 } };
  expect(readUsage(usage)).toMatchObject({ freshTokens: 30, cacheReadTokens: 700 });
});

test("without a report nothing was used", () => {
  expect(readUsage(undefined)).toEqual({ freshTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 });
});
