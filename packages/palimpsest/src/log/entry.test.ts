import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkChain, type Digest, type Draft, EMPTY_LOG, type Entry, fromLine, sealEntries, toLine } from "./entry.ts";

const digest: Digest = (text) => createHash("sha256").update(text).digest("hex");
const drafts: fc.Arbitrary<Draft[]> = fc.array(
  fc.record({ kind: fc.string(), version: fc.nat(9), payload: fc.jsonValue().map((value) => JSON.stringify(value)) }),
  { maxLength: 8 },
);
const seal = (list: readonly Draft[]): Entry[] => sealEntries(list, { head: EMPTY_LOG, atMs: 5, digest });
const three = seal(["a", "b", "c"].map((kind) => ({ kind, version: 1, payload: `{"${kind}":1}` })));

describe("sealEntries", () => {
  test("numbers, dates and chains entries, each with the previous entry as its parent", () => {
    expect(three.map(({ sequence, parent, atMs }) => [sequence, parent, atMs])).toEqual([
      [1, 0, 5],
      [2, 1, 5],
      [3, 2, 5],
    ]);
    expect(new Set(three.map(({ hash }) => hash)).size).toBe(3);
  });

  test("continues after the head, and starts a branch if a draft has a parent", () => {
    const [next] = sealEntries([{ kind: "rewind", version: 1, payload: "{}", parent: 1 }], {
      head: three[2]!,
      atMs: 9,
      digest,
    });
    expect(next).toMatchObject({ sequence: 4, parent: 1 });
    expect(checkChain([...three, next!], EMPTY_LOG, digest)).toEqual([]);
  });

  test.each([4, 9, -1, 0.5])("refuses %d as the parent, because it is not an earlier entry", (parent) => {
    expect(() =>
      sealEntries([{ kind: "a", version: 1, payload: "{}", parent }], { head: three[2]!, atMs: 9, digest }),
    ).toThrow("its parent must come before it");
  });

  test("gives the same entries in one step and in two", () => {
    fc.assert(
      fc.property(drafts, fc.nat(8), (list, cut) => {
        const first = seal(list.slice(0, cut));
        const rest = sealEntries(list.slice(cut), { head: first.at(-1) ?? EMPTY_LOG, atMs: 5, digest });
        expect([...first, ...rest]).toEqual(seal(list));
      }),
    );
  });
});

describe("checkChain", () => {
  test("accepts every sealed log, even after payloads were erased", () => {
    fc.assert(
      fc.property(drafts, fc.array(fc.nat(7)), (list, erased) => {
        const entries = seal(list).map((entry, index) =>
          erased.includes(index) ? { ...entry, payload: undefined } : entry,
        );
        expect(checkChain(entries, EMPTY_LOG, digest)).toEqual([]);
      }),
    );
  });

  test("finds a changed field in an entry with an erased payload", () => {
    const changes: [keyof Entry, unknown][] = [
      ["kind", "z"],
      ["atMs", 6],
      ["digest", digest("z")],
    ];
    for (const [field, value] of changes) {
      const tampered = three.with(1, { ...three[1]!, payload: undefined, [field]: value });
      expect(checkChain(tampered, EMPTY_LOG, digest), field).toContainEqual({ sequence: 2, what: "chain" });
    }
  });

  test("finds a change to any field in any entry", () => {
    const changes: [keyof Entry, unknown][] = [
      ["parent", 0],
      ["kind", "z"],
      ["version", 2],
      ["atMs", 6],
      ["payload", '{"z":1}'],
      ["digest", digest("z")],
      ["hash", digest("z")],
    ];
    for (const [index, entry] of three.entries()) {
      for (const [field, value] of changes) {
        if (entry[field] === value) continue;
        const changed = three.with(index, { ...entry, [field]: value });
        expect(checkChain(changed, EMPTY_LOG, digest), `${field} of ${entry.sequence}`).not.toEqual([]);
      }
    }
  });

  test("reports missing entries, and continues after the gap", () => {
    const [first, , third] = three;
    expect(checkChain([third!], EMPTY_LOG, digest)).toEqual([
      { sequence: 1, what: "missing" },
      { sequence: 2, what: "missing" },
    ]);
    expect(checkChain([first!, third!, { ...third!, sequence: 4 }], EMPTY_LOG, digest)).toEqual([
      { sequence: 2, what: "missing" },
      { sequence: 4, what: "chain" },
    ]);
  });

  test("finds entries that are repeated or out of order", () => {
    const [first, second] = three;
    expect(checkChain([first!, first!], EMPTY_LOG, digest)).toEqual([{ sequence: 1, what: "chain" }]);
    expect(checkChain([second!, first!], first!, digest)).toEqual([{ sequence: 1, what: "chain" }]);
  });
});

describe("toLine and fromLine", () => {
  test("write any entry on one line and read it back byte for byte", () => {
    fc.assert(
      fc.property(drafts, (list) => {
        for (const entry of seal(list)) {
          const line = toLine(entry);
          expect(line).not.toContain("\n");
          expect(fromLine(line)).toEqual(entry);
          expect(toLine(fromLine(line)!)).toBe(line);
        }
      }),
    );
  });

  test("write the payload as plain JSON, and leave out an erased payload", () => {
    const [first] = three;
    expect(JSON.parse(toLine(first!))).toMatchObject({ sequence: 1, kind: "a", payload: { a: 1 } });
    const erased = { ...first!, payload: undefined };
    expect(JSON.parse(toLine(erased))).not.toHaveProperty("payload");
    expect(fromLine(toLine(erased))).toEqual(erased);
  });

  test("give undefined for a line that is not an entry", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(fromLine(text)).toBeUndefined();
      }),
    );
    expect(fromLine(toLine(three[0]!).replace('"kind":"a"', '"kind":7'))).toBeUndefined();
    expect(fromLine(toLine(three[0]!).slice(0, -1))).toBeUndefined();
  });
});
