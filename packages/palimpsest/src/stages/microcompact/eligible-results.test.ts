import { expect, test } from "vitest";
import type { ToolCall } from "../../log/block.ts";
import { resolveSettings } from "../../settings/resolve-settings.ts";
import { eligibilityOf, eligibleResults } from "./eligible-results.ts";
import type { ResultIndex, ShownResult } from "./result-index.ts";

type Round = readonly [call: string, more?: Partial<ShownResult>];

/** Rounds of one call each, written as `name path`: entry n is the result of the nth. */
function indexOf(rounds: readonly Round[]): ResultIndex {
  const calls = rounds.map(([text], at): ToolCall => {
    const [name, path] = text.split(" ");
    return { kind: "tool_call", id: `${at}`, name: name!, input: { path } };
  });
  const results = rounds.map(([, more], at): ShownResult => {
    const size = { characters: 1_000, tokens: 1_000, beforeTokens: at * 1_000 };
    return { entry: at + 1, call: calls[at], callId: `${at}`, status: "ok", state: "whole", ...size, ...more };
  });
  return { results } as unknown as ResultIndex;
}

function eligible(rounds: readonly Round[], keepNewest = 0) {
  const { settings } = resolveSettings({ file: { "clearing.keepTools": ["ask"] } });
  const options = { ...eligibilityOf(undefined, settings), keepNewest };
  return eligibleResults(indexOf(rounds), options).map(({ entry }) => entry);
}

test.each<[string, readonly Round[], readonly number[]]>([
  ["complete results", [["read a"], ["shell b"]], [1, 2]],
  ["no errors", [["read a", { status: "error" }], ["read b"]], [2]],
  ["none without its call", [["read a", { call: undefined }], ["read b"]], [2]],
  ["no previews", [["read a", { state: "stored" }], ["read b"]], [2]],
  ["none of a tool that is kept", [["ask a"], ["read b"]], [2]],
  [
    "none that was asked for again after it was cleared",
    [["read a", { state: "replaced" }], ["read a"], ["read b"]],
    [3],
  ],
  ["one of another tool with the same input", [["read a", { state: "replaced" }], ["shell a"]], [2]],
])("may be cleared: %s", (_, rounds, entries) => {
  expect(eligible(rounds)).toEqual(entries);
});

test("the newest results stay, counted among those that could be cleared", () => {
  const rounds: Round[] = [["read a"], ["read b"], ["ask c"], ["read d"], ["read e", { status: "error" }]];
  const kept = (keepNewest: number) => eligible(rounds, keepNewest);
  expect([0, 1, 2, 3, 4].map(kept)).toEqual([[1, 2, 4], [1, 2], [1], [], []]);
});

test("the settings and the tools themselves say what is kept", () => {
  const { settings } = resolveSettings({ file: { "clearing.keepTools": ["ask"] } });
  const tools = [
    { name: "deploy", inputSchema: {}, sideEffects: "some" },
    { name: "list", inputSchema: {} },
  ] as const;
  const { isClearable } = eligibilityOf({ tools } as never, settings);
  expect(["ask", "deploy", "list", "other"].map(isClearable)).toEqual([false, false, true, true]);
});
