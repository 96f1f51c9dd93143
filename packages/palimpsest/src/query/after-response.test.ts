import { expect, test } from "vitest";
import { afterResponse } from "./after-response.ts";

const call = (id: string) => ({ kind: "tool_call", id, name: "read", input: {} }) as const;
const [one, two] = [call("1"), call("2")];

test.each([
  [{ stop: "end", calls: [] }, 1, { kind: "end" }],
  [{ stop: "other", calls: [] }, 1, { kind: "end" }],
  [{ stop: "end", calls: [one] }, 1, { kind: "run-calls", calls: [one] }],
  [{ stop: "tools", calls: [one, two] }, 1, { kind: "run-calls", calls: [one, two] }],
  [{ stop: "tools", calls: [], refusedCalls: [one] }, 1, { kind: "send-again" }],
  [{ stop: "paused", calls: [] }, 0, { kind: "send-again" }],
  [{ stop: "compacted", calls: [] }, 0, { kind: "send-again" }],
  [{ stop: "length", calls: [] }, 1, { kind: "go-on" }],
  [{ stop: "window", calls: [] }, 1, { kind: "go-on" }],
  [{ stop: "length", calls: [] }, 0, { kind: "end" }],
  [{ stop: "length", calls: [one, two] }, 0, { kind: "run-calls", calls: [one], cutOff: two }],
  [{ stop: "refused", calls: [one] }, 1, { kind: "refused" }],
] as const)("%j with %i cuts left: %j", (response, cutsLeft, step) => {
  expect(afterResponse(response, cutsLeft)).toEqual(step);
});
