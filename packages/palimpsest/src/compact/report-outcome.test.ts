import { expect, test } from "vitest";
import type { CompactionFailure, CompactionRecord } from "../log/payload-compaction.ts";
import { reportOutcome } from "./compaction.ts";
import type { CompactionOutcome } from "./outcome.ts";

const used = { freshTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 3, outputTokens: 4 };
const record: CompactionRecord = {
  trigger: "auto",
  reason: "window",
  variant: "full",
  summary: { way: "none", form: "coding", met: false },
  attempts: [],
  messages: 3,
  tokensBefore: 90,
  tokensAfter: 20,
  parts: [],
  modelCalls: 1,
};
const compacted: CompactionOutcome = { kind: "compacted", boundary: 5, ...record };

test("a compaction is reported with its sizes, and with how its summary came about", () => {
  const sizes = { kind: "compacted", summary: record.summary, tokensBefore: 90, tokensAfter: 20 };
  expect(reportOutcome({ outcome: compacted })).toEqual({ ...sizes, text: "" });
  expect(reportOutcome({ outcome: compacted, text: "So far.", used })).toEqual({ ...sizes, text: "So far.", used });
});

test.each<[CompactionFailure, string]>([
  ["api-error", "api_error"],
  ["no-summary", "no_summary"],
  ["declined", "no_summary"],
  ["prompt-too-long", "prompt_too_long"],
  ["too-large", "prompt_too_long"],
])("a compaction that failed by %s is reported as %s", (failure, expected) => {
  const outcome = { kind: "failed", failure, why: "so" } as const;
  expect(reportOutcome({ outcome })).toEqual({ kind: "failed", failure: expected, why: "so" });
  expect(reportOutcome({ outcome: { ...outcome, retryAtMs: 0 }, used })).toEqual({
    kind: "failed",
    failure: expected,
    why: "so",
    retryAtMs: 0,
    used,
  });
});

test("one that was not made says why, and when it is tried again; one that was aborted has its price", () => {
  const outcome = { kind: "nothing", cause: "too-small", why: "little" } as const;
  expect(reportOutcome({ outcome })).toEqual({ kind: "declined", reason: "too-small", why: "little" });
  expect(reportOutcome({ outcome: { ...outcome, retryAtMs: 9 } })).toMatchObject({ kind: "declined", retryAtMs: 9 });
  expect(reportOutcome({ outcome: { kind: "aborted" }, used })).toMatchObject({ failure: "aborted", used });
  expect(reportOutcome({ outcome: { kind: "aborted" } })).not.toHaveProperty("used");
});
