import { expect, test } from "vitest";
import { HOST, isProvenance, isUsersOwn, OUTSIDE, provenanceOf, SUMMARY, USER, withProvenance } from "./provenance.ts";

test("accepts a provenance with a known kind, with a name for tools and agents, and only a string as the name", () => {
  const kinds = ["user", "model", "host", "project", "memory", "summary", "outside"];
  const named = ["tool", "agent"];
  for (const kind of kinds) expect(isProvenance({ kind }), kind).toBe(true);
  for (const kind of [...kinds, ...named]) expect(isProvenance({ kind, name: "a" }), kind).toBe(true);
  for (const kind of named) expect(isProvenance({ kind }), kind).toBe(false);
  for (const kind of [...kinds, ...named]) expect(isProvenance({ kind, name: 7 }), kind).toBe(false);
  for (const value of [undefined, null, "user", {}, { kind: "" }, { kind: "prophet" }, { kind: ["user"] }]) {
    expect(isProvenance(value), JSON.stringify(value)).toBe(false);
  }
});

test("derives the provenance from the origin if the message has none", () => {
  expect(
    (["human", "model", "tool", "command", "host", "summary"] as const).map((origin) => provenanceOf({ origin })),
  ).toEqual([
    USER,
    { kind: "model" },
    { kind: "tool", name: "unknown" },
    { kind: "tool", name: "command" },
    HOST,
    SUMMARY,
  ]);
  expect(provenanceOf({ origin: "human", provenance: OUTSIDE })).toEqual(OUTSIDE);
});

test("treats an unknown origin as text from outside, whatever its name", () => {
  for (const origin of ["web", "constructor", "__proto__", undefined] as never[]) {
    expect(provenanceOf({ origin }), origin).toEqual(OUTSIDE);
    expect(withProvenance({ origin }), origin).toEqual({ origin, provenance: OUTSIDE });
  }
});

test("counts only a message that the user wrote as the user's own", () => {
  expect(isUsersOwn({ origin: "human" })).toBe(true);
  expect(isUsersOwn({ origin: "human", provenance: USER })).toBe(true);
  expect(isUsersOwn({ origin: "human", provenance: OUTSIDE })).toBe(false);
  expect(isUsersOwn({ origin: "summary", provenance: USER })).toBe(false);
  expect(isUsersOwn({ attachment: "pin" })).toBe(false);
});

test("adds a provenance unless the origin implies it, and never makes an attachment the host's own words", () => {
  for (const origin of ["human", "model", "host"] as const) expect(withProvenance({ origin })).toEqual({ origin });
  expect(withProvenance({ origin: "command" })).toEqual({
    origin: "command",
    provenance: { kind: "tool", name: "command" },
  });
  expect(withProvenance({ origin: "summary" })).toEqual({ origin: "summary", provenance: SUMMARY });
  expect(withProvenance({ attachment: "pin" })).toEqual({ attachment: "pin", provenance: OUTSIDE });
  expect(withProvenance({ origin: "host", attachment: "todo" })).toMatchObject({ provenance: OUTSIDE });
  expect(withProvenance({ origin: "tool", provenance: HOST })).toEqual({ origin: "tool", provenance: HOST });
});
