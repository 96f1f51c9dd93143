import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Block } from "../../log/block.ts";
import type { ReadEntry } from "../../log/entry.ts";
import type { MessagePayload } from "../../log/payload.ts";
import { createEvidence } from "./evidence.ts";
import { type Evidence, readFact } from "./state.ts";

type Statement = Pick<MessagePayload, "origin" | "blocks">;

const user = (text: string): Statement => ({ origin: "human", blocks: [{ kind: "text", text }] });
const says = (text: string): Statement => ({ origin: "model", blocks: [{ kind: "text", text }] });
const calls = (id: string, name: string, input: unknown): Statement => ({
  origin: "model",
  blocks: [{ kind: "tool_call", id, name, input }],
});
const answers = (callId: string, content: string, status: "ok" | "error" = "ok"): Statement => ({
  origin: "tool",
  blocks: [{ kind: "tool_result", callId, content, status }],
});

function toEntries(said: readonly Statement[], first = 1): ReadEntry[] {
  return said.map(({ origin, blocks }, index) => ({
    kind: "message",
    sequence: first + index,
    payload: { role: origin === "model" ? "assistant" : "user", origin, blocks },
  }));
}

function fold(said: readonly Statement[], from?: unknown, first = 1): Evidence {
  const fold = createEvidence(from);
  for (const entry of toEntries(said, first)) fold.take(entry);
  return fold.state();
}

const fact = (evidence: Evidence, text: string) => evidence.facts.map(readFact).find((each) => each.text === text);

describe("what is kept", () => {
  test("a file that is named from elsewhere is used again, under its longest name", () => {
    const evidence = fold([
      calls("a", "Grep", { pattern: "x" }),
      answers("a", "src/deep/load.ts:12: x"),
      calls("b", "Read", { file_path: "/repo/src/deep/load.ts" }),
      answers("b", "1\tx"),
      says("Then src/deep/load.ts once more."),
    ]);
    expect(fact(evidence, "/repo/src/deep/load.ts")).toMatchObject({ uses: 2 });
    expect(fact(evidence, "src/deep/load.ts")).toBeUndefined();
  });

  test("what the model decided, and how often it spoke of it since", () => {
    const evidence = fold([
      says("I'll use a queue instead of polling for the mailer."),
      says("So: a queue instead of polling for the mailer."),
      user("Never touch the mailer."),
    ]);
    expect(evidence.rules).toMatchObject([
      { text: "I'll use a queue instead of polling for the mailer.", entry: 1, ofModel: { uses: 1 } },
      { text: "Never touch the mailer.", entry: 3 },
    ]);
  });

  test("a name that is written into a file is not used again by that", () => {
    const evidence = fold([
      calls("a", "Read", { file_path: "/repo/a.ts" }),
      answers("a", "1\tparseHeader()"),
      calls("b", "Edit", { file_path: "/repo/a.ts", old_string: "parseHeader()", new_string: "parseHeader(1)" }),
      answers("b", "done"),
    ]);
    expect(fact(evidence, "parseHeader")).toMatchObject({ uses: 0 });
  });

  test("files with their newest read and edit and the lines that were shown", () => {
    const { files } = fold([
      calls("a", "Read", { file_path: "/repo/src/a.ts", offset: 10, limit: 20 }),
      answers("a", "10\tone\n11\ttwo\n29\tlast"),
      calls("b", "Edit", { file_path: "/repo/src/a.ts", old_string: "one", new_string: "three" }),
      answers("b", "done"),
      calls("c", "Read", { file_path: "/repo/src/a.ts", offset: 300, limit: 50 }),
      answers("c", "no numbers here"),
      calls("d", "Read", { file_path: "/repo/src/gone.ts" }),
      answers("d", "No such file", "error"),
    ]);
    expect(files).toMatchObject([
      {
        path: "/repo/src/a.ts",
        reads: 2,
        edits: 1,
        readEntry: 6,
        editEntry: 4,
        ranges: [
          [10, 29],
          [300, 349],
        ],
      },
    ]);
    expect(files).toHaveLength(1);
  });

  test("files that a command shows or a patch changes, and where the newest edits stand", () => {
    const edit = (id: string, line: string): Statement[] => [
      calls(id, "Edit", { file_path: "b.ts", old_string: "x", new_string: line }),
      answers(id, "done"),
    ];
    const { files, commands } = fold([
      calls("a", "shell", { command: "sed -n '20,40p' a.ts" }),
      answers("a", "const limit = 10;"),
      calls("b", "shell", { command: "cat gone.ts" }),
      answers("b", "cat: gone.ts: No such file or directory", "error"),
      calls("c", "apply_patch", {
        input: "*** Begin Patch\n*** Update File: a.ts\n-const limit = 10;\n+const limit = 20;",
      }),
      answers("c", "Done!"),
      ...["first line", "second line", "third line", "fourth line", "fifth line"].flatMap((line) => edit(line, line)),
    ]);
    expect(files).toMatchObject([
      { path: "a.ts", reads: 1, edits: 1, ranges: [[20, 40]], written: [{ line: "const limit = 20;" }] },
      { path: "b.ts", written: ["second line", "third line", "fourth line", "fifth line"].map((line) => ({ line })) },
    ]);
    expect(files).toHaveLength(2);
    expect(commands.map(({ command }) => command)).toEqual(["sed -n '20,40p' a.ts", "cat gone.ts"]);
  });

  test("an error of a file is known by the file, and over when the file is read", () => {
    const failing = [
      calls("a", "Read", { file_path: "src/gone.ts" }),
      answers("a", "Error: ENOENT, no such file", "error"),
    ];
    expect(fold(failing).errors).toMatchObject([{ state: "open", of: "src/gone.ts" }]);
    const other = [...failing, calls("b", "Read", { file_path: "src/here.ts" }), answers("b", "1\tx")];
    expect(fold(other).errors).toMatchObject([{ state: "open" }]);
    const same = [...other, calls("c", "Read", { file_path: "src/gone.ts" }), answers("c", "1\tx")];
    expect(fold(same).errors).toMatchObject([{ state: "over" }]);
  });

  test("commands with exit code and counted tests, errors verbatim until the same goes well", () => {
    const failing = [
      calls("a", "shell", { command: ["bash", "-lc", "npm test"] }),
      answers(
        "a",
        "Exit code 1\n FAIL src/x.test.ts\nAssertionError: expected 3 to be 4\nTests  1 failed | 7 passed (8)",
        "error",
      ),
    ];
    const failed = fold(failing);
    expect(failed.commands).toMatchObject([
      {
        command: "npm test",
        runs: 1,
        entry: 2,
        state: "failed",
        exitCode: 1,
        report: "Tests  1 failed | 7 passed (8)",
      },
    ]);
    expect(failed.errors).toMatchObject([
      { text: "FAIL src/x.test.ts\nAssertionError: expected 3 to be 4", entry: 2, of: "npm test", state: "open" },
    ]);
    const fixed = fold([...failing, calls("b", "exec", { cmd: "npm test" }), answers("b", "Tests  8 passed (8)")]);
    expect(fixed.commands).toMatchObject([{ runs: 2, entry: 4, state: "ok", report: "Tests  8 passed (8)" }]);
    expect(fixed.errors).toMatchObject([{ state: "over" }]);
  });

  test("what the user gave and ruled", () => {
    const evidence = fold([
      user("Fix parseHeader in src/http/parse.ts.\nNever touch the public API. It runs on port 48231."),
      { origin: "host", blocks: [{ kind: "text", text: "You must never use hostMadeName." }] },
      { origin: "summary", blocks: [{ kind: "text", text: "We decided to keep summaryMadeName." }] },
    ]);
    expect(evidence.rules).toEqual([{ text: "Never touch the public API.", entry: 1 }]);
    expect(evidence.facts.map(readFact).map(({ text, source }) => [text, source])).toEqual([
      ["parseHeader", "user"],
      ["src/http/parse.ts", "user"],
      ["48231", "user"],
    ]);
  });

  test("which names were used again, and where they stood", () => {
    const evidence = fold([
      calls("a", "grep", { pattern: "x" }),
      answers("a", "src/deep/file.go:12: func reconcileShadow()\nother_name_here"),
      says("I will look at reconcileShadow; reconcileShadow it is."),
      calls("b", "run", { text: "reconcileShadow" }),
      answers("b", "reconcileShadow is fine"),
    ]);
    expect(fact(evidence, "reconcileShadow")).toMatchObject({ uses: 2, entry: 5, source: "tool" });
    expect(fact(evidence, "src/deep/file.go")).toMatchObject({ uses: 0, entry: 2, sort: "path" });
    expect(fact(evidence, "other_name_here")).toMatchObject({ uses: 0 });
  });

  test("twice within one response is not again", () => {
    const piece = (text: string): ReadEntry => ({
      kind: "message",
      sequence: 1,
      payload: { role: "assistant", origin: "model", responseId: "r", blocks: [{ kind: "text", text }] },
    });
    const evidence = createEvidence();
    evidence.take(piece("newHelperName"));
    evidence.take(piece("newHelperName again"));
    expect(fact(evidence.state(), "newHelperName")).toMatchObject({ uses: 0 });
  });
});

const anyText = fc.array(
  fc.constantFrom(
    "src/a/b.ts",
    "parseHeader",
    "FOO_BAR_BAZ",
    "4096 ms",
    "don't do it.",
    "Error: x",
    "exit code 2",
    "\n",
    "😀",
  ),
  { maxLength: 8 },
);
const anySaid: fc.Arbitrary<Statement> = fc
  .record({
    sort: fc.constantFrom("user", "says", "bash", "read", "edit", "answer", "fail"),
    id: fc.constantFrom("1", "2", "3"),
    words: anyText,
  })
  .map(({ sort, id, words }) => {
    const text = words.join(" ");
    if (sort === "user") return user(text);
    if (sort === "says") return says(text);
    if (sort === "bash") return calls(id, "Bash", { command: text });
    if (sort === "read") return calls(id, "Read", { path: words[0] ?? "x.ts", offset: 3, limit: 5 });
    if (sort === "edit") return calls(id, "Edit", { path: words[0] ?? "x.ts", new_string: text });
    return answers(id, text, sort === "fail" ? "error" : "ok");
  });

describe("the fold", () => {
  test("goes on from a stored state as if it had not stopped", () => {
    fc.assert(
      fc.property(fc.array(anySaid, { maxLength: 40 }), fc.nat(40), (said, at) => {
        const stored = JSON.stringify(fold(said.slice(0, at)));
        const onward = fold(said.slice(at), JSON.parse(stored), Math.min(at, said.length) + 1);
        expect(onward).toEqual(fold(said));
        expect(JSON.parse(JSON.stringify(onward))).toEqual(onward);
      }),
    );
  });

  test("leaves a state that it was given as it was", () => {
    const before = fold([user("Keep parseHeader."), says("parseHeader")]);
    const copy = structuredClone(before);
    fold([says("parseHeader"), user("No, don't.")], before, 3);
    expect(before).toEqual(copy);
  });

  test("is bounded, and what was used outlasts what was not", () => {
    const name = (index: number) => `generated_name_${index}`;
    const listings = Array.from({ length: 60 }, (_, page) =>
      answers("none", Array.from({ length: 300 }, (_, index) => name(page * 300 + index)).join("\n")),
    );
    const evidence = fold([listings[0]!, says(`${name(7)} matters`), ...listings.slice(1)]);
    expect(evidence.facts.length).toBeLessThanOrEqual(5_000);
    expect(fact(evidence, name(7))).toMatchObject({ uses: 1 });
    expect(fact(evidence, name(8))).toBeUndefined();
    expect(fact(evidence, name(60 * 300 - 1))).toBeDefined();
    expect(JSON.stringify(evidence).length).toBeLessThan(400_000);
  });

  test("looks at the ends of a huge result only", () => {
    const huge = `first_name_here ${"word ".repeat(400_000)} middle_name_here ${"word ".repeat(400_000)} last_name_here`;
    const names = fold([answers("none", huge)]).facts.map(([text]) => text);
    expect(names).toEqual(["first_name_here", "last_name_here"]);
  });

  test("begins anew from anything that is no state", () => {
    const whole = fold([user("Keep parseHeader in src/a/b.ts.")]);
    fc.assert(
      fc.property(fc.jsonValue(), (junk) => {
        expect(createEvidence(junk).state()).toEqual(createEvidence().state());
      }),
    );
    for (const broken of [
      { ...whole, version: 2 },
      { ...whole, facts: [{}] },
      { ...whole, files: [{ path: "a" }] },
    ]) {
      expect(createEvidence(broken).state()).toEqual(createEvidence().state());
    }
    const opaque: Block = { kind: "opaque", native: { provider: "p", block: {} } };
    expect(fold([{ origin: "model", blocks: [opaque] }]).facts).toEqual([]);
  });
});
