import { expect, test } from "vitest";
import { inColumns } from "./table.ts";

test("inColumns wraps texts to the width and puts a long first column on its own line", () => {
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
