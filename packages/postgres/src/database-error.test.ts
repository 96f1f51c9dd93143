import { expect, test } from "vitest";
import { toDatabaseError } from "./database-error.ts";

test.each([
  ["EPIPE", "unreachable", undefined],
  ["ECONNREFUSED", "unreachable", undefined],
  [undefined, "unreachable", undefined],
  ["57P01", "unreachable", "57P01"],
  ["42P01", "not-migrated", "42P01"],
  ["40001", "conflict", "40001"],
  ["XX000", "refused", "XX000"],
] as const)("the code %s is %s", (code, reason, sqlState) => {
  const error = toDatabaseError("append", Object.assign(new Error("told"), code === undefined ? {} : { code }));
  expect(error).toMatchObject({ reason, sqlState });
});
