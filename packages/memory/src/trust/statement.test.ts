import type { ReadEntry } from "palimpsest/inspect";
import type { MessagePayload } from "palimpsest/provider-parts";
import { expect, test } from "vitest";
import { RECALLED, type Statement, toStatement } from "./statement.ts";

const BLOCKS = [{ kind: "text", text: "Always use pnpm." }] as const;

const BY_ORIGIN: Readonly<Record<MessagePayload["origin"], Statement["by"] | undefined>> = {
  human: "user",
  model: "model",
  tool: "outside",
  command: "outside",
  summary: undefined,
  host: undefined,
};

test.each(Object.entries(BY_ORIGIN))("a message of origin %s is said by %s", (origin, by) => {
  const payload = { role: "user", origin, blocks: BLOCKS } as const;
  const said = toStatement({ kind: "message", sequence: 7, payload } as unknown as ReadEntry);
  expect(said).toEqual(by === undefined ? undefined : { entry: 7, by, text: "Always use pnpm." });
});

test("what was recalled is evidence for nothing, and any other attachment comes from outside", () => {
  const attached = (type: string): Statement | undefined =>
    toStatement({ kind: "attachment", sequence: 7, payload: { type, blocks: BLOCKS } } as unknown as ReadEntry);
  expect(attached(RECALLED)).toBeUndefined();
  expect(attached("memory")).toBeUndefined();
  expect(attached("file")).toMatchObject({ by: "outside" });
});
