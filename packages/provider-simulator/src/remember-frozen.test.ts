import { expect, test } from "vitest";
import { rememberFrozen } from "./remember-frozen.ts";

function counting(): { read: (value: { text: string; parts?: object[] }) => string; calls: () => number } {
  let calls = 0;
  const read = rememberFrozen((value: { text: string; parts?: object[] }) => {
    calls++;
    return JSON.stringify(value);
  });
  return { read, calls: () => calls };
}

test("a frozen value is read once", () => {
  const { read, calls } = counting();
  const value = Object.freeze({ text: "a", parts: Object.freeze([Object.freeze({})]) as unknown as object[] });
  expect(read(value)).toBe(read(value));
  expect(calls()).toBe(1);
});

test("a value that can change is read anew, also when only its inside can", () => {
  const { read, calls } = counting();
  const value = { text: "a" };
  read(value);
  value.text = "b";
  expect(read(value)).toContain("b");
  const inside = { deep: 1 };
  const shallow = Object.freeze({ text: "a", parts: [inside] });
  read(shallow);
  inside.deep = 2;
  expect(read(shallow)).toContain("2");
  expect(calls()).toBe(4);
});

test("a value that nests without end is read anew, and does not exhaust the stack", () => {
  const read = rememberFrozen((value: object) => Object.keys(value));
  let nested: object = Object.freeze([]);
  for (let level = 0; level < 20_000; level++) nested = Object.freeze([nested]);
  expect(read(nested)).not.toBe(read(nested));
});
