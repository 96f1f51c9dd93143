import { expect, test } from "vitest";
import { namedKind, readDraft, toDraft, toNamedDraft } from "./draft.ts";

test("a draft has the version of its kind, its payload as JSON, and a parent only if one is given", () => {
  const draft = toDraft("pin", { text: "Never push." });
  expect(draft).toStrictEqual({ kind: "pin", version: 1, payload: '{"text":"Never push."}' });
  expect(toDraft("pin", { text: "Never push." }, 0)).toStrictEqual({ ...draft, parent: 0 });
});

test("a draft with a name is found by it and read as its kind", () => {
  const draft = toNamedDraft("key", "5d41", { key: "a", entries: 2 });
  expect(draft.kind).toBe(namedKind("key", "5d41"));
  expect(readDraft(draft)).toEqual({ kind: "key", sequence: 0, payload: { key: "a", entries: 2 } });
});
