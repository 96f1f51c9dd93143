import { expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import { startCalibration } from "../size/calibration.ts";
import { type Accounting, account, accountingRows } from "./account.ts";
import { createView, type MessageItem, toItem, type View } from "./view.ts";

const text = (words: string): Block => ({ kind: "text", text: words });
const read = (id: string, path: string): Block => ({ kind: "tool_call", id, name: "Read", input: { file_path: path } });
const result = (callId: string, content: string): Block => ({ kind: "tool_result", callId, content, status: "ok" });

function viewOf(...items: readonly (Pick<MessageItem, "role" | "blocks"> & Partial<MessageItem>)[]): View {
  const view = createView(startCalibration());
  items.forEach((item, index) => {
    view.items.push(toItem({ from: index + 1, to: index + 1, origin: "human", ...item }));
  });
  return view;
}

test("sums the tokens in the window by source", () => {
  const accounting = account(
    viewOf(
      { role: "user", blocks: [text("Look at it."), { kind: "image", source: { kind: "url", url: "u" } }] },
      { role: "assistant", blocks: [text("I will."), read("1", "a.ts")], origin: "model" },
      { role: "user", blocks: [result("1", "content ".repeat(100))], origin: "tool" },
      { role: "user", blocks: [text("total 0")], origin: "command" },
      { role: "user", blocks: [text("Be kind."), text("Always.")], origin: "host", attachment: "reminder" },
    ),
  );
  expect(Object.keys(accounting.toolCallTokens)).toEqual(["Read"]);
  expect(Object.keys(accounting.toolResultTokens)).toEqual(["Read"]);
  expect(accounting.attachments["reminder"]?.count).toBe(1);
  expect(accounting.otherTokens).toBeGreaterThan(1_000);
  const { humanTokens, assistantTokens, toolCallTokens, toolResultTokens, commandOutputTokens, otherTokens } =
    accounting;
  const parts = [
    humanTokens,
    assistantTokens,
    toolCallTokens["Read"]!,
    toolResultTokens["Read"]!,
    commandOutputTokens,
    otherTokens,
  ];
  expect(parts.every((tokens) => tokens > 0)).toBe(true);
  const attached = accounting.attachments["reminder"]!.tokens;
  expect(parts.reduce((sum, tokens) => sum + tokens, attached)).toBe(accounting.totalTokens);
  const shares = Object.values(accounting.percentages!).reduce((sum, share) => sum + share, 0);
  expect(shares).toBeCloseTo(100, 0);
});

test("finds files that were read more than once, and the wasted tokens", () => {
  const content = "line of code\n".repeat(200);
  const { duplicateReads, toolResultTokens } = account(
    viewOf(
      { role: "assistant", blocks: [read("1", "a.ts"), read("2", "b.ts"), read("3", "a.ts")], origin: "model" },
      { role: "user", blocks: [result("1", content)], origin: "tool" },
      { role: "user", blocks: [result("2", content)], origin: "tool" },
      { role: "user", blocks: [result("3", content)], origin: "tool" },
    ),
  );
  expect(duplicateReads.fileCount).toBe(1);
  expect(Object.keys(duplicateReads.files)).toEqual(["a.ts"]);
  expect(duplicateReads.wastedTokens).toBe(Math.floor(toolResultTokens["Read"]! / 3));
});

test("has no percentages for an empty view", () => {
  expect(account(viewOf())).toMatchObject({ totalTokens: 0, duplicateReads: { fileCount: 0, percentage: 0 } });
  expect(account(viewOf())).not.toHaveProperty("percentages");
});

test("returns a named row for each source with tokens, largest first", () => {
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
