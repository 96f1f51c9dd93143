import type { RecordedEntry } from "@palimpsest/observe";
import { needsOf, toRecording } from "@palimpsest/observe/replay";
import { expect, test } from "vitest";
import { countTogether } from "./count-together.ts";

type Call = readonly [name: string, input: object, result: string];

/** A session in which each call is a response of its own. */
function countsOf(calls: readonly Call[]) {
  const at = (index: number) => ({ branch: "main" as const, atMs: index * 1_000 });
  const entries: RecordedEntry[] = [
    { kind: "session", agent: "claude-code", id: "s", startedAtMs: 0 },
    {
      ...{ kind: "message", id: "u", role: "user", origin: "human", ...at(0) },
      blocks: [{ kind: "text", text: "Look at src/one.ts and src/two.ts." }],
    },
    ...calls.flatMap(([name, input, result], index): RecordedEntry[] => [
      {
        ...{ kind: "message", id: `m${index}`, role: "assistant", origin: "model", responseId: `r${index}` },
        ...at(2 * index + 1),
        blocks: [{ kind: "tool_call", callId: `c${index}`, name, input }],
      },
      {
        ...{ kind: "usage", responseId: `r${index}`, ...at(2 * index + 1), outputCount: "final" },
        ...{ freshTokens: 1_000, cacheReadTokens: 0, outputTokens: 20 },
      },
      {
        ...{ kind: "message", id: `t${index}`, role: "user", origin: "tool", ...at(2 * index + 2) },
        blocks: [{ kind: "tool_result", callId: `c${index}`, content: result, status: "ok" }],
      },
    ]),
  ] as RecordedEntry[];
  const recording = toRecording(entries)!;
  return countTogether(recording, needsOf(recording));
}

const read = (file_path: string, result: string): Call => ["Read", { file_path }, result];

test("two reads of files that the user named could have been one request", () => {
  expect(countsOf([read("src/one.ts", "export const a = 1;"), read("src/two.ts", "export const b = 2;")])).toEqual({
    readRounds: 2,
    savedRounds: 1,
  });
});

test("a read of what the result before it named could not", () => {
  const calls = [read("src/one.ts", 'import { three } from "src/three.ts";'), read("src/three.ts", "x")];
  expect(countsOf(calls)).toEqual({ readRounds: 2, savedRounds: 0 });
});

test("commands that only look count, those that may write do not", () => {
  const command = (text: string): Call => ["Bash", { command: text }, "ok"];
  expect(countsOf([command("git log | head -3"), command("cat src/one.ts")])).toEqual({
    readRounds: 2,
    savedRounds: 1,
  });
  expect(countsOf([command("npm test"), command("cat src/one.ts > out")])).toEqual({ readRounds: 0, savedRounds: 0 });
});
