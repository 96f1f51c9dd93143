import { expect, test } from "vitest";
import type { Block } from "../../log/block.ts";
import { stubOf } from "./stub-of.ts";

const SECRET = "correct horse";
const call: Block = { kind: "tool_call", id: "a", name: "look", input: { at: SECRET } };
const result: Block = { kind: "tool_result", callId: "a", content: SECRET, status: "error" };
const stub = (...blocks: readonly Block[]) =>
  stubOf({
    kind: "message",
    sequence: 7,
    payload: {
      role: "user",
      origin: "human",
      blocks,
      stored: { file: "a.txt", bytes: 1, lines: 1, digest: SECRET },
    },
  } as never);
const text: Block = { kind: "text", text: "[Entry 7 was erased.]" };

test("in place of words stands that they were erased; who said them stays, and nothing of the file", () => {
  expect(stub({ kind: "text", text: SECRET })).toEqual({
    was: "message",
    entry: 7,
    stub: { role: "user", origin: "human", blocks: [text] },
  });
  const given = { type: "note", blocks: [{ kind: "text", text: SECRET }], provenance: { kind: "host" } };
  const attached = stubOf({ kind: "attachment", sequence: 7, payload: given } as never);
  expect(attached).toEqual({ was: "attachment", entry: 7, stub: { ...given, blocks: [text] } });
});

test("calls and results stay where others hang on them, without what they say; thinking goes", () => {
  const thinking = { kind: "thinking", text: SECRET } as never;
  const called = stub(thinking, { kind: "text", text: SECRET }, call);
  expect(called.stub.blocks).toEqual([text, { kind: "tool_call", id: "a", name: "look", input: {} }]);
  expect(stub(result).stub.blocks).toEqual([{ ...result, content: text.kind === "text" ? text.text : "" }]);
  for (const one of [called, stub(result)]) expect(JSON.stringify(one)).not.toContain("horse");
});
