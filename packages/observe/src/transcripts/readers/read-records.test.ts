import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { readRecords, type TranscriptRecord } from "./read-records.ts";
import type { RecordedDamage } from "./recorded.ts";

const read = (...texts: string[]): Promise<(TranscriptRecord | RecordedDamage)[]> => {
  const lines = texts.map((text, index) => ({ kind: "line" as const, number: index + 1, text }));
  return Readable.from(readRecords(Readable.from(lines))).toArray();
};

describe("readRecords", () => {
  test("keeps the number of the line and counts the records", async () => {
    expect(await read('{"a":1}', "", "  ", '{"a":2}')).toEqual([
      { kind: "record", line: 1, index: 0, fields: { a: 1 } },
      { kind: "record", line: 4, index: 1, fields: { a: 2 } },
    ]);
  });

  test.each([
    ["half a line", '{"type":"user","mess', "not-json"],
    ["two halves glued together", '{"type":"us{"type":"user"}', "not-json"],
    ["garbage", "<<<<<<< HEAD", "not-json"],
    ["a run of NUL", "\0\0\0\0", "not-json"],
    ["NUL before a record", '\0\0{"a":1}', "not-json"],
    ["a list", "[1]", "not-an-object"],
    ["a number", "1", "not-an-object"],
    ["null", "null", "not-an-object"],
  ])("reports %s and reads on", async (_, text, reason) => {
    expect(await read('{"a":1}', text, '{"a":2}')).toEqual([
      { kind: "record", line: 1, index: 0, fields: { a: 1 } },
      { kind: "damage", line: 2, reason },
      { kind: "record", line: 3, index: 1, fields: { a: 2 } },
    ]);
  });

  test("passes over a line written twice, but counts it", async () => {
    const records = await read('{"a":1}', '{"a":1}', '{"a":2}');
    expect(records).toMatchObject([
      { line: 1, index: 0 },
      { line: 3, index: 2 },
    ]);
  });
});
