import { expect, test } from "vitest";
import { inColumns } from "./table.ts";

test("texts are wrapped to the width, and a long first column gets its own line", () => {
  const rows = inColumns(
    [
      ["/cost", "show what the session cost"],
      ["/memory [show SLUG]", "show the memory"],
    ],
    30,
    10,
  );
  expect(rows).toEqual([
    "/cost     show what the",
    "          session cost",
    "/memory [show SLUG]",
    "          show the memory",
  ]);
});
