import { expect, test } from "vitest";
import type { ToolDefinition } from "../log/block.ts";
import { planDeferral } from "./configure.ts";

const tool = (name: string, loading?: ToolDefinition["loading"]): ToolDefinition => ({
  name,
  inputSchema: {},
  ...(loading === undefined ? {} : { loading }),
});
const loading = (tools: readonly ToolDefinition[]) => tools.map((one) => one.loading ?? "head");
const counted = { countTokens: () => 100, before: [] };

test("tools that may be deferred are, if all of them together are above the limit", () => {
  const tools = [tool("a"), tool("b", "when-large"), tool("c", "when-large"), tool("d", "deferred")];
  expect(loading(planDeferral(tools, { ...counted, aboveTokens: 200 }))).toEqual(["head", "head", "head", "deferred"]);
  expect(loading(planDeferral(tools, { ...counted, aboveTokens: 199 }))).toEqual([
    "head",
    "deferred",
    "deferred",
    "deferred",
  ]);
});

test("a session that defers goes on deferring", () => {
  const before = [tool("b", "deferred")];
  expect(loading(planDeferral([tool("b", "when-large")], { ...counted, before, aboveTokens: 1_000 }))).toEqual([
    "deferred",
  ]);
});
