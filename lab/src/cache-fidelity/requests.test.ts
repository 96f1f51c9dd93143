import type { RecordedBlock, RecordedEntry, RecordedMessage, RecordedUsage } from "@palimpsest/observe";
import { expect, test } from "vitest";
import { rebuildRequests } from "./requests.ts";

const text = (words: string): RecordedBlock => ({ kind: "text", text: words });
const call = (callId: string): RecordedBlock => ({ kind: "tool_call", callId, name: "Read", input: {} });
const result = (callId: string): RecordedBlock => ({ kind: "tool_result", callId, content: "content", status: "ok" });

function message(id: string, parentId: string | undefined, fields: Partial<RecordedMessage>): RecordedMessage {
  return {
    kind: "message",
    id,
    ...(parentId === undefined ? {} : { parentId }),
    branch: "main",
    atMs: Number(id) * 1_000,
    role: "user",
    origin: "human",
    blocks: [text("words")],
    ...fields,
  };
}

function model(id: string, parentId: string, responseId: string, blocks: RecordedBlock[]): RecordedMessage {
  return message(id, parentId, { role: "assistant", origin: "model", responseId, blocks });
}

function usage(responseId: string, cacheReadTokens: number, cacheWriteTokens: number): RecordedUsage {
  const counts = { freshTokens: 3, cacheReadTokens, cacheWriteTokens, outputTokens: 10 };
  return { kind: "usage", responseId, branch: "main", atMs: 0, outputCount: "final", ...counts };
}

const keysOf = (entries: RecordedEntry[]): string[][] =>
  rebuildRequests(entries).map(({ blocks }) => blocks.map(({ key }) => key));

test("a request is the chain of parents before its response; thinking and the agent's own notes are no blocks", () => {
  const entries = [
    message("1", undefined, {}),
    message("2", "1", { origin: "agent" }),
    model("3", "2", "a", [{ kind: "thinking", text: "", signature: "s" }, text("answer")]),
    usage("a", 0, 100),
    message("4", "3", {}),
    model("5", "4", "b", [text("bye")]),
    usage("b", 100, 20),
  ];
  expect(keysOf(entries)).toEqual([["1:0"], ["1:0", "3:1", "4:0"]]);
  expect(rebuildRequests(entries)).toMatchObject([
    { sentAtMs: 2_000, contextTokens: 103, endsTurn: true, answerKeys: ["3:1"], changes: [] },
    { sentAtMs: 4_000, contextTokens: 123 },
  ]);
});

test("parallel calls stand before their results, also those whose results lie off the chain", () => {
  const entries = [
    message("1", undefined, {}),
    model("2", "1", "a", [call("x")]),
    message("3", "2", { origin: "tool", blocks: [result("x")] }),
    model("4", "2", "a", [call("y")]),
    usage("a", 0, 100),
    message("5", "4", { origin: "tool", blocks: [result("y")] }),
    model("6", "5", "b", [text("done")]),
    usage("b", 100, 50),
  ];
  expect(keysOf(entries)[1]).toEqual(["1:0", "2:0", "4:0", "3:0", "5:0"]);
  expect(rebuildRequests(entries)[0]).toMatchObject({ endsTurn: false });
});

test("a compaction starts the chain anew", () => {
  const entries: RecordedEntry[] = [
    message("1", undefined, {}),
    model("2", "1", "a", [text("answer")]),
    usage("a", 0, 100),
    {
      kind: "compaction",
      id: "3",
      parentId: "2",
      branch: "main",
      atMs: 3_000,
      trigger: "auto",
      kept: { kind: "nothing" },
    },
    message("4", "3", { origin: "summary" }),
    model("5", "4", "b", [text("on")]),
    usage("b", 20, 10),
  ];
  expect(keysOf(entries)[1]).toEqual(["4:0"]);
  expect(rebuildRequests(entries)[1]).toMatchObject({ changes: ["compaction"] });
});

test("a cleared result is another block than the result was", () => {
  const entries: RecordedEntry[] = [
    message("1", undefined, {}),
    model("2", "1", "a", [call("x")]),
    usage("a", 0, 100),
    message("3", "2", { origin: "tool", blocks: [result("x")] }),
    { kind: "microcompaction", id: "9", parentId: "3", branch: "main", atMs: 4_000, clearedCallIds: ["x"] },
    message("4", "9", {}),
    model("5", "4", "b", [text("on")]),
    usage("b", 90, 10),
  ];
  expect(keysOf(entries)[1]).toEqual(["1:0", "2:0", "3:0:cleared", "4:0"]);
  expect(rebuildRequests(entries)[1]).toMatchObject({ changes: ["microcompaction"] });
});

test("leaving the agent, starting over and a prompt that shrank are noted", () => {
  const left = [
    message("1", undefined, {}),
    model("2", "1", "a", [text("answer")]),
    usage("a", 0, 20_000),
    message("3", "2", { blocks: [text("<command-name>/exit</command-name>")] }),
    message("4", "3", {}),
    model("5", "4", "b", [text("on")]),
    usage("b", 90, 20_000),
    message("6", "5", {}),
    model("7", "6", "c", [text("on")]),
    usage("c", 90, 10_000),
    message("8", undefined, {}),
    model("9", "8", "d", [text("on")]),
    usage("d", 90, 10_000),
  ];
  expect(rebuildRequests(left).map(({ changes }) => changes)).toEqual([[], ["restart"], ["shrunk"], ["new-start"]]);
});

test("subagents and error notes are not requests", () => {
  const entries = [
    message("1", undefined, {}),
    { ...model("2", "1", "side", [text("aside")]), branch: "sidechain" as const },
    { ...usage("side", 0, 10), branch: "sidechain" as const },
    message("3", "1", { role: "assistant", origin: "agent", responseId: "error" }),
    message("4", "3", {}),
    model("5", "4", "a", [text("answer")]),
    usage("a", 0, 100),
  ];
  expect(keysOf(entries)).toEqual([["1:0", "4:0"]]);
});
