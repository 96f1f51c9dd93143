import { expect, test } from "vitest";
import { shortIds } from "./short-ids.ts";

test("shortens ids while they stay unique, to eight characters or more", () => {
  const ids = ["claude-code-3f2a", "claude-code-3f1b", "claude-code-9", "0123456789abcdef"];
  expect(ids.map(shortIds(ids))).toEqual(["claude-code-3f2", "claude-code-3f1", "claude-code-9", "01234567"]);
  expect(shortIds([])("0123456789")).toBe("01234567");
});
