import { expect, test } from "vitest";
import { type Accounting, accountingRows } from "./account.ts";

test("a row for all that takes up room, largest first, each with a name of its own", () => {
  const accounting: Accounting = {
    systemTokens: 10,
    toolDefinitionTokens: 90,
    toolDefinitions: {},
    deferredTools: { unused: 5 },
    humanTokens: 20,
    assistantTokens: 30,
    toolCallTokens: { Read: 1, Write: 0 },
    toolResultTokens: { Read: 80 },
    commandOutputTokens: 40,
    otherTokens: 0,
    attachments: { Read: { count: 2, tokens: 50 } },
    totalTokens: 221,
    duplicateReads: { fileCount: 0, wastedTokens: 0, percentage: 0, files: {} },
    sizeTokens: 400,
  };
  const rows = accountingRows(accounting);
  expect(rows.map(([, tokens]) => tokens)).toEqual([90, 80, 50, 40, 30, 20, 10, 1]);
  const names = rows.map(([name]) => name);
  expect(new Set(names).size).toBe(rows.length);
  for (const name of names) expect(name).toMatch(/^\w/);
  expect(names.filter((name) => /^\w+.*: Read$/.test(name))).toHaveLength(3);
});
