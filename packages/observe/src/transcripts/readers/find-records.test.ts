import { expect, test } from "vitest";
import { findRecords } from "./find-records.ts";

const find = (text: string): ReturnType<typeof findRecords> => findRecords(Buffer.from(text));

test.each([
  ["a list of objects", ' [ {"role":'],
  ["a field of an object", '{"a":{"messages":[1]},"messages":['],
  ["behind strings that look like it", '{"a":"\\"messages\\":[","b":[{"c":"}]"}],"messages" : ['],
  ["behind a byte order mark", '\ufeff[{"'],
])("finds where the records begin: %s", (_, text) => {
  expect(find(text)).toBe(Buffer.from(text).lastIndexOf("["));
});

test.each([
  ["another list", "[1]"],
  ["an object that ends", '{"type":"session","id":"a"}'],
  ["no JSON", "\0\0"],
  ["a line that was cut within a string", '{"type":"us\n{"type":"session"}'],
  ["a line that was cut behind its bracket", '{\n{"type":"session"}'],
  ["messages that are no list", '{"messages":null}'],
  ["a name without a value", '{"a" "b"}'],
])("says that it is no document: %s", (_, text) => {
  expect(find(text)).toBe("none");
});

test("says the same of every beginning, or that it cannot tell yet", () => {
  for (const text of ['{"a":[{}],"b":"\\\\","messages":[{}]}', ' [ {"a":1}]', '{"id":"x","list":[1,2]}', "[[1]]"]) {
    const whole = find(text);
    const parts = Array.from({ length: text.length }, (_, size) => find(text.slice(0, size)));
    const emitted = parts.filter((part) => part !== "unknown");
    expect(emitted.every((part) => part === whole)).toBe(true);
    expect(parts[0]).toBe("unknown");
  }
});
