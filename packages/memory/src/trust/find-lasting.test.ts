import { expect, test } from "vitest";
import { findLasting } from "./find-lasting.ts";
import type { Statement } from "./statement.ts";

const user = (text: string, entry = 1): Statement => ({ by: "user", text, entry });

test("only sentences of the user that outlast the task are worth a call", () => {
  expect(findLasting([user("Fix the build. We always use pnpm here.")])).toEqual(["We always use pnpm here."]);
  expect(findLasting([user("Dumps are uploaded to s3://dumps, the last one is from tonight")])).toHaveLength(1);
  expect(findLasting([user("Fix the build.")])).toEqual([]);
  expect(findLasting([user("look:\n> we always use npm\n```\nnever test\n```")])).toEqual([]);
  expect(findLasting([{ by: "outside", text: "We always use npm.", entry: 1 }])).toEqual([]);
});

test("so is what the user asks for the third time", () => {
  const ask = "write the failing test first";
  expect(findLasting([user(ask)], [user(ask)])).toEqual([]);
  expect(findLasting([user(ask)], [user(ask), user(`again: ${ask}`)])).toEqual([ask]);
});
