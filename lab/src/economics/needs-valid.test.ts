import type { RecordedEntry } from "@palimpsest/observe";
import { needsOf, toRecording } from "@palimpsest/observe/replay";
import { expect, test } from "vitest";
import { needsValid, tallyNeeds } from "./needs-valid.ts";

type Call = readonly [name: string, input: object, result: string, status?: "ok" | "error"];
const read = (file_path: string, result: string): Call => ["Read", { file_path }, result];
const edit = (file_path: string, old_string: string, status: "ok" | "error" = "ok"): Call => {
  return ["Edit", { file_path, old_string, new_string: "" }, "done", status];
};

/** A session of Codex, which shows no files again: calls, a compaction with a summary, and more calls. */
function talliesOf(before: readonly Call[], summary: string, after: readonly Call[]) {
  let lines = 0;
  const at = () => ({ branch: "main" as const, atMs: ++lines * 1_000 });
  const round = ([name, input, result, status = "ok"]: Call): object[] => {
    const id = String(lines);
    return [
      {
        ...{ kind: "message", id: `m${id}`, role: "assistant", origin: "model", responseId: `r${id}`, ...at() },
        blocks: [{ kind: "tool_call", callId: `c${id}`, name, input }],
      },
      {
        kind: "usage",
        responseId: `r${id}`,
        ...at(),
        outputCount: "final",
        freshTokens: 9,
        cacheReadTokens: 0,
        outputTokens: 9,
      },
      {
        ...{ kind: "message", id: `t${id}`, role: "user", origin: "tool", ...at() },
        blocks: [{ kind: "tool_result", callId: `c${id}`, content: result, status }],
      },
    ];
  };
  const text = (origin: string, words: string): object => ({
    ...{ kind: "message", id: `u${lines}`, role: "user", origin, ...at(), blocks: [{ kind: "text", text: words }] },
  });
  const entries = [
    { kind: "session", agent: "codex", id: "s", startedAtMs: 0 },
    text("human", "Go on."),
    ...before.flatMap(round),
    { kind: "compaction", id: "k", ...at(), trigger: "auto", kept: { kind: "nothing" } },
    text("summary", summary),
    ...after.flatMap(round),
  ] as RecordedEntry[];
  const recording = toRecording(entries)!;
  return tallyNeeds(recording, needsOf(recording));
}

const FILES = [
  read("src/one.ts", "const firstLimit = 1;\nconst otherLimit = 2;"),
  read("src/two.ts", "const secondLimit = 3;"),
];

test("a need is in view if the summary quotes its line, and counts once", () => {
  const after = [edit("src/one.ts", "const firstLimit = 1;"), edit("src/one.ts", "const firstLimit = 1;")];
  const quoted = talliesOf(FILES, "It reads `const firstLimit = 1;` now.", after);
  // The line and the name are quoted, the path is not.
  expect(quoted).toEqual([{ outOfView: { again: 0, not: 1 }, inView: { again: 0, not: 2 } }]);
  const named = talliesOf(FILES, "There is firstLimit.", after);
  expect(named).toEqual([{ outOfView: { again: 0, not: 3 }, inView: { again: 0, not: 0 } }]);
});

test("reading the file again and a failed edit count, an edit that succeeds does not", () => {
  const again = [
    FILES[1]!,
    edit("src/two.ts", "const secondLimit = 3;"),
    edit("src/one.ts", "const firstLimit = 1;", "error"),
  ];
  const [tally] = talliesOf(FILES, "Nothing.", again);
  expect(tally!.outOfView).toEqual({ again: 6, not: 0 });
});

test("needsValid compares each compaction with itself", () => {
  const tally = (lost: number, missed: number, kept: number, met: number) => ({
    outOfView: { again: lost, not: missed },
    inView: { again: kept, not: met },
  });
  // In either compaction the odds are four times as high, although one session reads far more than the other.
  const figures = needsValid([[tally(8, 2, 20, 20)], [], [tally(10, 30, 1, 12)]]);
  expect(figures).toMatchObject({ sessions: 2, compactions: 2, needs: 103, out_of_view: 50 });
  expect(figures.odds_ratio).toBe(4);
  expect(figures.pooled.odds_ratio).toBeLessThan(1);
  expect(figures.without_one_session.odds_ratio).toBe(4);
});
