import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ReadEntry } from "../../log/entry.ts";
import { createEvidence } from "../evidence/evidence.ts";
import type { Evidence } from "../evidence/state.ts";
import { evidenceText } from "./record.ts";

const countTokens = (text: string): number => Math.ceil(text.length / 4);

/** Pairs of a call or an origin and what it says. */
function evidenceOf(
  said: readonly (readonly [who: "human" | "model" | "tool", text: string, input?: object])[],
): Evidence {
  const fold = createEvidence();
  for (const [index, [origin, text, input]] of said.entries()) {
    const call = { kind: "tool_call", id: "c", name: text, input } as const;
    const result = { kind: "tool_result", callId: "c", content: text, status: "ok" } as const;
    const block = input ? call : origin === "tool" ? result : ({ kind: "text", text } as const);
    const payload = { role: origin === "model" ? "assistant" : "user", origin, blocks: [block] } as const;
    fold.take({ kind: "message", sequence: index + 1, payload } satisfies ReadEntry);
  }
  return fold.state();
}

const SESSION = evidenceOf([
  ["human", "Rewrite the parser. Never change src/api/public.ts."],
  ["model", "Read", { file_path: "/repo/src/parse/lexer.ts", offset: 1, limit: 80 }],
  ["tool", "1\tconst tokenTable = 1\n80\tend"],
  ["model", "Edit", { file_path: "/repo/src/parse/lexer.ts", new_string: "tokenTable" }],
  ["tool", "done"],
  ["model", "Read", { file_path: "/repo/src/parse/tree.ts" }],
  ["tool", "nothing"],
  ["model", "Bash", { command: "go test ./parse" }],
  ["tool", "--- FAIL: TestLexer\nexit code: 1"],
]);

describe("what is told", () => {
  test("is grouped, terse, and has the number to recall it by", () => {
    expect(evidenceText(SESSION, { budgetTokens: 1_000, countTokens }).split("\n")).toEqual([
      "From the log (#N: entry N)",
      "Said by the user:",
      '- "Never change src/api/public.ts." #1',
      "Files:",
      "- /repo/src/parse/: lexer.ts edited #5 read 1-80 #3; tree.ts read #7",
      "Commands, how they last ended:",
      "- go test ./parse -> exit 1 #9",
      "Errors:",
      "- --- FAIL: TestLexer #9",
    ]);
  });

  test("names the folder of the project once, and files elsewhere whole", () => {
    const paths = ["src/a.ts", "src/parse/tree.ts", "src/parse/lexer.ts", "docs/guide.md"].map(
      (path) => `/home/me/repo/${path}`,
    );
    const evidence = evidenceOf(
      [...paths, "/etc/hosts.conf"].flatMap((path) => [
        ["model", "Read", { file_path: path }],
        ["tool", "nothing"],
      ]),
    );
    expect(evidenceText(evidence, { budgetTokens: 1_000, countTokens }).split("\n")).toEqual([
      "From the log (#N: entry N)",
      "Files in /home/me/repo/:",
      "- docs/guide.md read #8",
      "- src/a.ts read #2",
      "- src/parse/: lexer.ts read #6; tree.ts read #4",
      "Other files:",
      "- /etc/hosts.conf read #10",
    ]);
  });

  test("shows a command as it was last run, line by line", () => {
    const evidence = evidenceOf([
      ["model", "Bash", { command: "make lint" }],
      ["tool", "fine"],
      ["model", "Bash", { command: "cd /repo && make lint 2>&1 | tail -5" }],
      ["tool", "fine"],
      ["model", "Bash", { command: "set -e\nmake site" }],
      ["tool", "fine"],
    ]);
    const text = evidenceText(evidence, { budgetTokens: 1_000, countTokens });
    expect(text).toContain("- cd /repo && make lint 2>&1 | tail -5 -> ok x2 #4");
    expect(text).toContain("- set -e\n  make site -> ok #6");
  });

  test("does not repeat a name that a command or an error has", () => {
    const evidence = evidenceOf([
      ["model", "Bash", { command: "make check_ledger_rows" }],
      ["tool", "Error: ledger_row_missing in src/ledger/rows.ts\nexit code: 2"],
    ]);
    const text = evidenceText(evidence, { budgetTokens: 1_000, countTokens });
    for (const name of ["check_ledger_rows", "ledger_row_missing", "rows.ts"]) expect(text.split(name)).toHaveLength(2);
  });

  test("is not what stands beside it already", () => {
    const shown = "We edited parse/lexer.ts (tokenTable); the user says: Never change src/api/public.ts.";
    const text = evidenceText(SESSION, { budgetTokens: 1_000, countTokens, shown });
    expect(text).not.toMatch(/lexer\.ts|tokenTable|Never|public\.ts/);
    expect(text).toMatch(/tree\.ts/);
  });

  test("is first what was used again", () => {
    const names = Array.from({ length: 200 }, (_, index) => `generated_name_${index}`);
    const evidence = evidenceOf([
      ["tool", names.join(" ")],
      ["model", `${names[3]} and ${names[150]}`],
      ["tool", "later_names_here ".repeat(2)],
    ]);
    const text = evidenceText(evidence, { budgetTokens: 40, countTokens });
    expect(text).toContain("generated_name_3,");
    expect(text).toContain("generated_name_150");
  });

  test("says of one file one thing, however it was named", () => {
    const evidence = evidenceOf([
      ["model", "Read", { file_path: "/repo/src/parse/tree.ts" }],
      ["tool", "nothing"],
      ["model", "Bash", { command: "wc -l src/parse/tree.ts" }],
    ]);
    const text = evidenceText(evidence, { budgetTokens: 1_000, countTokens });
    expect(text.match(/tree\.ts/g)).toHaveLength(1);
  });
});

test("the budget is never exceeded, the text is well-formed, and nothing is changed", () => {
  const anyWord = fc.constantFrom(
    "src/a/b.ts",
    "/r/c/d.go",
    "parseHeader",
    "FOO_BAR",
    "don't.",
    "Error: x",
    "97 ms",
    "😀",
    "\ud83d",
  );
  const anySaid = fc.tuple(
    fc.constantFrom("human" as const, "model" as const, "tool" as const),
    fc.array(anyWord, { maxLength: 12 }).map((words) => words.join(" ")),
  );
  const anyCount = fc.constantFrom(
    countTokens,
    (text: string) => text.length,
    (text: string) => (text === "" ? 0 : 7 + text.split("\n").length * 11),
  );
  fc.assert(
    fc.property(fc.array(anySaid, { maxLength: 30 }), fc.nat(400), anyCount, (said, budgetTokens, count) => {
      const evidence = evidenceOf(said);
      const copy = structuredClone(evidence);
      const text = evidenceText(evidence, { budgetTokens, countTokens: count });
      expect(count(text)).toBeLessThanOrEqual(budgetTokens);
      expect(text.isWellFormed()).toBe(true);
      expect(evidenceText(evidence, { budgetTokens, countTokens: count })).toBe(text);
      expect(evidence).toEqual(copy);
    }),
  );
});
