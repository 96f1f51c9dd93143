import { EMPTY_LOG, sealEntries, sha256 } from "palimpsest/store-parts";
import { expect, test } from "vitest";
import { audit } from "./ledger.ts";

const log = (fences: number[]) =>
  sealEntries(
    fences.map((fence) => ({ kind: "message", version: 1, payload: JSON.stringify({ fence }) })),
    { head: EMPTY_LOG, atMs: 1, digest: sha256 },
  );
const emitted = (entries: ReturnType<typeof log>) =>
  entries.map(({ sequence, hash }) => ({ sequence, hash, fence: 1 }));

test("a whole log has no losses", () => {
  const entries = log([1, 1, 2]);
  expect(audit(entries, emitted(entries))).toEqual({ acknowledgedLost: 0, entriesChanged: 0, writtenByFenced: 0 });
});

test("what was acknowledged and is not there is lost; what was not acknowledged may be there or not", () => {
  const entries = log([1, 1, 2]);
  expect(audit(entries.slice(0, 1), emitted(entries))).toMatchObject({ acknowledgedLost: 2 });
  expect(audit(entries, emitted(entries.slice(0, 1)))).toMatchObject({ acknowledgedLost: 0 });
});

test("an entry with another content than was acknowledged, and a gap, are changes", () => {
  const entries = log([1, 1, 1]);
  expect(audit(log([1, 1, 2]), emitted(entries))).toMatchObject({ entriesChanged: 1 });
  expect(audit(entries.toSpliced(1, 1), [])).toMatchObject({ entriesChanged: 1 });
});

test("an entry of an earlier writer behind one of a later writer was written by a fenced one", () => {
  expect(audit(log([1, 2, 1, 2]), [])).toMatchObject({ writtenByFenced: 1 });
});
