import { expect, onTestFinished, test } from "vitest";
import { createAnthropic } from "../anthropic/anthropic.ts";
import { createOpenAiChat } from "../openai/chat/chat.ts";
import { serve } from "../server.ts";
import { matchers } from "../vitest.ts";

expect.extend(matchers);

const long = "All work and no play. ".repeat(500);
const request = (content: string) => ({
  model: "claude-sonnet-4-6",
  max_tokens: 100,
  cache_control: { type: "ephemeral" },
  messages: [{ role: "user", content }],
});

test("verdicts and answers of every face", () => {
  const anthropic = createAnthropic();
  expect(anthropic.judge(request(long))).toBeAccepted();
  expect(anthropic.judge(request(long))).toHaveCacheHitAbove(0.99);
  expect(anthropic.answer(request(long))).toCostBelow(0.01);
  expect(anthropic.judge(request(""))).not.toBeAccepted();
  expect([anthropic.judge(request(long)), anthropic.judge(request(long))]).toBeAccepted();
  expect(createOpenAiChat().judge({ model: "gpt-6-sol", messages: [] })).not.toBeAccepted();
});

test("a server, its recorder and its exchanges; calls that cost nothing do not count", async () => {
  const server = await serve({ faces: [createAnthropic()] });
  onTestFinished(() => server.close());
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${server.url}${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "x-api-key": "k", "anthropic-version": "2026-10-21" },
    });
  await post("/v1/messages/count_tokens", { model: "claude-sonnet-4-6", messages: request("Hi").messages });
  expect(() => expect(server).toBeAccepted()).toThrow("No request was accepted: none was sent.");
  expect(() => expect(server).not.toCostBelow(1)).toThrow("No request was accepted: none was sent.");
  await post("/v1/messages", request(long));
  await post("/v1/messages", request(long));
  for (const judged of [server, server.recorder, server.recorder.exchanges]) {
    expect(judged).toBeAccepted();
    expect(judged).toHaveCacheHitAbove(0.49);
    expect(judged).not.toHaveCacheHitAbove(0.51);
    expect(judged).not.toCostBelow(0.001);
  }
  expect(server.recorder.last).toHaveCacheHitAbove(0.99);
  await post("/v1/messages", { ...request(long), max_tokens: undefined });
  expect(() => expect(server).toBeAccepted()).toThrow(
    "1 of 3 requests was refused:\n  /v1/messages 400 max_tokens: Field required",
  );
});

test("messages carry the numbers, and values of others are refused", () => {
  const anthropic = createAnthropic();
  const verdict = anthropic.judge(request(long));
  expect(() => expect(verdict).toHaveCacheHitAbove(0.5)).toThrow(
    /^0 of \d+ input tokens \(0\.0%\) were read from the cache in 1 request; expected more than 50\.0%\.$/,
  );
  expect(() => expect(verdict).toCostBelow(0.000_001)).toThrow(
    /^1 request with \d+ input tokens .* cost \$0\.\d{6}; expected less than \$0\.000001\.$/,
  );
  expect(() => expect(verdict).not.toBeAccepted()).toThrow("Expected a refusal, but 1 of 1 request was accepted.");
  expect(() => expect(anthropic.judge(request(""))).toCostBelow(1)).toThrow("No request was accepted:\n  400 ");
  expect(() => expect({ status: 200 }).toBeAccepted()).toThrow("toBeAccepted needs what the simulator returns");
  expect(() => expect(verdict).toHaveCacheHitAbove(90)).toThrow("a share between 0 and 1");
});
