import { expect, test } from "vitest";
import { readFromUse, readGermanFromUse, readLabelled } from "./labelled.ts";

const { memories, queries } = readLabelled();

test("the set is large enough, and whole", () => {
  const slugs = new Set(memories.map(({ slug }) => slug));
  expect(slugs.size).toBe(memories.length);
  expect(memories.length).toBeGreaterThanOrEqual(300);
  expect(new Set(memories.map(({ type }) => type))).toEqual(new Set(["user", "feedback", "project", "reference"]));
  const unknown = queries.flatMap(({ expected }) => expected).filter((slug) => !slugs.has(slug));
  expect(unknown).toEqual([]);
  expect(new Set(queries.map(({ text }) => text)).size).toBe(queries.length);
  const empty = memories.filter(({ name, description, body }) => [name, description, body].includes(""));
  expect(empty).toEqual([]);
});

test("what has no answer says so, and only that", () => {
  const without = queries.filter(({ kind }) => kind === "no-answer");
  expect(without.length).toBeGreaterThanOrEqual(50);
  expect(without.every(({ expected }) => expected.length === 0)).toBe(true);
  const answered = queries.filter(({ kind }) => kind !== "no-answer");
  expect(answered.length).toBeGreaterThanOrEqual(200);
  expect(answered.every(({ expected }) => expected.length > 0)).toBe(true);
});

test("both halves have about as much, and no memory is asked for in both", () => {
  const [development, heldOut] = [
    queries.filter(({ half }) => half === "development"),
    queries.filter(({ half }) => half === "held-out"),
  ];
  expect(Math.min(development.length, heldOut.length)).toBeGreaterThan(0.45 * queries.length);
  const asked = new Set(development.map(({ expected }) => expected[0]).filter((slug) => slug !== undefined));
  expect(heldOut.filter(({ expected: [slug] }) => slug !== undefined && asked.has(slug))).toEqual([]);
});

test("the queries from use are at least 300, ask for memories that exist, and repeat none of the others", () => {
  expect(readFromUse().length).toBeGreaterThanOrEqual(300);
  expect(readGermanFromUse().length).toBeGreaterThanOrEqual(90);
  const fromUse = [...readFromUse(), ...readGermanFromUse()];
  const slugs = new Set(memories.map(({ slug }) => slug));
  expect(fromUse.flatMap(({ expected }) => expected).filter((slug) => !slugs.has(slug))).toEqual([]);
  const texts = new Set(queries.map(({ text }) => text));
  expect(fromUse.filter(({ text }) => texts.has(text))).toEqual([]);
  expect(new Set(fromUse.map(({ text }) => text)).size).toBe(fromUse.length);
  expect(fromUse.filter(({ kind, expected }) => (kind === "no-answer") !== (expected.length === 0))).toEqual([]);
});
