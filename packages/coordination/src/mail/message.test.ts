import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkDraft, fromKey, isId, isName, toKey } from "./message.ts";
import { separateRecorded } from "./separate-recorded.ts";

const LIMITS = { maxMessageBytes: 1_000 };

test("a name is nothing that could be taken for another way to reach somebody", () => {
  for (const name of ["lead", "agent-7", "A.b_c", "7", "x".repeat(64)]) expect(isName(name)).toBe(true);
  for (const name of ["*", "", "uds:/tmp/x", "a/b", "..", "-x", "a b", "x".repeat(65), "ü", "a\n"])
    expect(isName(name)).toBe(false);
});

test("session and id can be read from a key, whatever they are", () => {
  const id = fc.string({ unit: "grapheme", minLength: 1, maxLength: 50 }).filter(isId);
  fc.assert(
    fc.property(id, id, (session, own) => {
      expect(fromKey(toKey(session, own))).toEqual({ session, id: own });
    }),
  );
});

describe("a draft is refused that could not be given back as it is", () => {
  test.each([
    ["an id with a slash", { id: "a/b" }, "bad-id"],
    ["no id", { id: "" }, "bad-id"],
    ["an answer to no id", { inReplyTo: "a b" }, "bad-id"],
    ["half a character", { body: "😀".slice(0, 1) }, "not-well-formed"],
    ["half a character in the summary", { summary: "😀".slice(1) }, "not-well-formed"],
    ["too much", { body: "ü".repeat(501) }, "too-large"],
  ])("%s", (_, change, because) => {
    expect(checkDraft({ id: "1", to: "x", body: "", ...change }, LIMITS)).toMatchObject({ kind: "refused", because });
  });

  test("and says in numbers by how much", () => {
    expect(checkDraft({ id: "1", to: "x", body: "x".repeat(990), summary: "x".repeat(20) }, LIMITS)?.why).toContain(
      "has 1010 bytes; the limit is 1000",
    );
    expect(checkDraft({ id: "1", to: "x", body: "x".repeat(1_000) }, LIMITS)).toBeUndefined();
  });
});

test("what the log has is told from what is new, in order", () => {
  const from = { kind: "agent", team: "t", name: "n", session: "s" } as const;
  const messages = ["1", "2", "3", "4"].map((id) => {
    return { key: `s/${id}`, id, from, kind: "message", body: "", sentAtMs: 1 } as const;
  });
  const { fresh, recorded } = separateRecorded(messages, (key) => key === "s/1" || key === "s/3");
  expect([fresh.map(({ id }) => id), recorded.map(({ id }) => id)]).toEqual([
    ["2", "4"],
    ["1", "3"],
  ]);
  expect(separateRecorded([], () => true)).toEqual({ fresh: [], recorded: [] });
});
