import { expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import { stubOf } from "./load.ts";

const SECRET = "correct horse";
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
