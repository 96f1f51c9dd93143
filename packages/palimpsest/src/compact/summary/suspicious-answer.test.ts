import { expect, test } from "vitest";
import { suspiciousAnswer } from "./check.ts";

test.each([
  '{"error":{"type":"overloaded_error"}}',
  '{"detail":"Not Found"}\n{"detail":"again"}',
  "Error: something broke",
  "An internal server error occurred",
  "502 Bad Gateway",
  "HTTP/1.1 503 Service Unavailable",
  "<html><body>Gateway</body></html>",
  "Traceback (most recent call last):\n  File x",
  "fetch broke: ECONNRESET",
  "You have hit the rate limit of this key.",
  "The prompt is too long for this model",
  "The stream was disconnected early",
  "Failed to generate a summary",
  "No summary available.",
  "<summary>Error: nothing</summary>",
])("an error in place of a summary is seen as one: %s", (answer) => {
  expect(suspiciousAnswer(answer)).toBe("error-text");
});

test.each([
  "I'm sorry, but I can't help with that.",
  "I am very sorry.",
  "I cannot summarize this conversation.",
  "I won’t do that.",
  "Unfortunately, I have no access.",
  "As an AI, I have no memory.",
  "<analysis>I apologize, this is not possible.</analysis>",
])("so is a refusal: %s", (answer) => {
  expect(suspiciousAnswer(answer)).toBe("refusal");
});

test.each([
  "## 1. Primary request\nThe user wants a parser.",
  "The user asked for a fix. It was done after an error in the loader.",
  '["a list", "of words"]',
  '{"summary":"The parser is done."}',
  "{not json at all}",
  "Island of the parser",
  "",
])("any other answer is not: %s", (answer) => {
  expect(suspiciousAnswer(answer)).toBeUndefined();
});
