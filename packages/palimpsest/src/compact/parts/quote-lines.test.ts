import fc from "fast-check";
import { expect, test } from "vitest";
import type { Block } from "../../log/block.ts";
import type { MessagePayload } from "../../log/payload.ts";
import { createEvidence } from "../evidence/evidence.ts";
import type { Evidence } from "../evidence/state.ts";
import { quoteLines } from "./record.ts";

const countTokens = (text: string): number => Math.ceil(text.length / 4);
const quote = (evidence: Evidence, options: Partial<Parameters<typeof quoteLines>[1]> = {}): string[] =>
  quoteLines(evidence, { budgetTokens: 1_000, countTokens, ...options })
    .split("\n")
    .filter((line) => line !== "");

type Statement = readonly [MessagePayload["origin"], Block];
const says = (text: string): Statement => ["model", { kind: "text", text }];
const edits = (replacement: string): Statement => [
  "model",
  { kind: "tool_call", id: "e", name: "Edit", input: { file_path: "/repo/a.ts", new_string: replacement } },
];
const shows = (content: string): Statement => ["tool", { kind: "tool_result", callId: "none", content, status: "ok" }];

function fold(said: readonly Statement[], from?: unknown): Evidence {
  const evidence = createEvidence(from);
  for (const [index, [origin, block]] of said.entries()) {
    const role = origin === "model" ? "assistant" : "user";
    evidence.take({ kind: "message", sequence: index + 1, payload: { role, origin, blocks: [block] } });
  }
  return evidence.state();
}

test("the line in which a name last stood, be it shown or written, the most used first", () => {
  const evidence = fold([
    shows("12\tconst retryLimit = 3;\n13\tconst queueName = 'jobs';"),
    says("queueName is read twice, so queueName it is."),
    edits("  const retryLimit = 5;\n"),
    says("Then retryLimit applies to all."),
    edits("retryLimit = 6; // again"),
  ]);
  expect(quote(evidence)).toEqual(["- retryLimit = 6; // again", "- queueName is read twice, so queueName it is."]);
});

test("one line is quoted for all names in it, and none for a name that the record beside it shows", () => {
  const evidence = fold([shows("call(firstName, secondName)\nonly thirdName here"), says("firstName")]);
  expect(quote(evidence)).toEqual(["- call(firstName, secondName)", "- only thirdName here"]);
  expect(quote(evidence, { shown: "let thirdName;" })).toEqual(["- call(firstName, secondName)"]);
});

test("a summary that names a thing does not show its line", () => {
  const evidence = fold([shows("only thirdName here")]);
  expect(quote(evidence, { summary: "It is about thirdName." })).toEqual(["- only thirdName here"]);
  expect(quote(evidence, { summary: "It says: only thirdName here." })).toEqual([]);
});

test("lines are carried on", () => {
  const before = fold([shows("only thirdName here")]);
  expect(quote(fold([says("And now thirdName")], JSON.parse(JSON.stringify(before))))).toEqual(["- And now thirdName"]);
  expect(quote(fold([says("thirdName")], JSON.parse(JSON.stringify(before))))).toEqual(["- only thirdName here"]);
});

test("never more than the budget, and every line stood in the record", () => {
  const anyLine = fc
    .array(fc.constantFrom("first_name", "second_name", "third_name", "=", "x", "call()"), {
      minLength: 1,
      maxLength: 6,
    })
    .map((words) => words.join(" "));
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 20 }), fc.nat(60), (lines, budgetTokens) => {
      const quoted = quoteLines(fold(lines.map(shows)), { budgetTokens, countTokens });
      expect(countTokens(quoted)).toBeLessThanOrEqual(budgetTokens);
      for (const line of quoted === "" ? [] : quoted.split("\n")) expect(lines).toContain(line.slice(2));
    }),
  );
});
