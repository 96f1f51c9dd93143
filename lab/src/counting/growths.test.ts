import type { RecordedEntry, RecordedMessage, RecordedUsage } from "@palimpsest/observe";
import { expect, test } from "vitest";
import { growthsOf } from "./growths.ts";

const at = { branch: "main", atMs: 0 } as const;

function said(id: string, role: RecordedMessage["role"], text: string, more: Partial<RecordedMessage> = {}) {
  const origin = role === "assistant" ? "model" : "human";
  return { kind: "message", ...at, id, role, origin, blocks: [{ kind: "text", text }], ...more } as const;
}

function used(responseId: string, freshTokens: number, more: Partial<RecordedUsage> = {}): RecordedUsage {
  const counts = { freshTokens, cacheReadTokens: 100, cacheWriteTokens: 10, outputTokens: 7 };
  return { kind: "usage", ...at, responseId, ...counts, outputCount: "final", ...more };
}

/** Two responses with something between them. */
function session(between: readonly RecordedEntry[], second = used("b", 50), first = used("a", 1)): RecordedEntry[] {
  return [
    said("1", "user", "question"),
    said("2", "assistant", "answer", { responseId: "a" }),
    first,
    ...between,
    said("9", "assistant", "last", { responseId: "b" }),
    second,
  ];
}

test("what was added between two requests, the response apart", () => {
  const between = [said("3", "user", "more"), said("4", "assistant", "rest", { responseId: "a" })];
  expect(growthsOf(session(between))).toEqual([
    {
      contextTokensBefore: 111,
      contextTokens: 160,
      outputTokens: 7,
      response: [
        { kind: "text", text: "answer" },
        { kind: "text", text: "rest" },
      ],
      added: [{ kind: "text", text: "more" }],
      leftOut: undefined,
    },
  ]);
});

test("a count from before the end of the response is no count", () => {
  const first = used("a", 1, { outputCount: "provisional" });
  expect(growthsOf(session([], used("b", 50), first))[0]!.outputTokens).toBeUndefined();
});

test("neither error notes in the model's name nor other branches were sent", () => {
  const note = said("3", "assistant", "API error", { origin: "agent" });
  const aside = said("4", "user", "aside", { branch: "sidechain" });
  expect(growthsOf(session([note, aside]))[0]!.added).toEqual([]);
});

test("steps in which something left the context are named", () => {
  const compaction = { kind: "compaction", ...at, id: "3", trigger: "auto", kept: { kind: "nothing" } } as const;
  const microcompaction = { kind: "microcompaction", ...at, id: "3", clearedCallIds: [] } as const;
  expect(growthsOf(session([compaction]))[0]!.leftOut).toBe("compaction");
  expect(growthsOf(session([microcompaction]))[0]!.leftOut).toBe("microcompaction");
  expect(growthsOf(session([], used("b", 1)))[0]!.leftOut).toBe("not grown");
});
