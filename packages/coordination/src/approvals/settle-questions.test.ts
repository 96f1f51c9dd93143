import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { DispatchWithQueue } from "../dispatch.ts";
import { openDispatch } from "../open-dispatch.ts";
import { settleQuestions, type WaitingSession } from "./settle-questions.ts";

const NOW_MS = 1_800_000_000_000;
let folder: string;
let nowMs: number;
let dispatch: DispatchWithQueue;

beforeEach(async () => {
  nowMs = NOW_MS;
  folder = mkdtempSync(join(tmpdir(), "settle-"));
  dispatch = await openDispatch({ file: join(folder, "d.sqlite"), clock: { now: () => nowMs } });
});

afterEach(async () => {
  await dispatch.close();
  rmSync(folder, { recursive: true });
});

/** A session whose turn waits for permission to make these calls, by their ids. */
function waitingSession(inputs: Readonly<Record<string, unknown>>): WaitingSession & { readonly decided: unknown[] } {
  const decided: unknown[] = [];
  const calls = Object.entries(inputs).map(([id, input]) => ({
    call: { kind: "tool_call", id, name: "pay", input } as const,
    key: `s/7/${id}`,
    step: "waiting" as const,
    reason: "it costs money",
  }));
  return {
    id: "s",
    decided,
    turn: {
      next: () => ({ kind: "calls", calls: [...calls, { ...calls[0]!, step: "begun" }] }),
      async decide(callId, decision) {
        decided.push([callId, decision]);
        return "recorded";
      },
    },
  };
}

const ids = async (): Promise<readonly string[]> =>
  (await dispatch.approvals.pending()).questions.map(({ sessionId, callId }) => `${sessionId}: ${callId}`);

test("questions are asked once, under the keys of their calls, and answers are recorded when they are there", async () => {
  const session = waitingSession({ c1: 1, c2: 2, c3: 3 });
  const { approvals } = dispatch;
  expect(await settleQuestions(session, approvals)).toBe(0);
  expect(await settleQuestions(session, approvals)).toBe(0);
  expect(await ids()).toEqual(["s: s/7/c1", "s: s/7/c2", "s: s/7/c3"]);
  const [question] = (await approvals.pending()).questions;
  expect(question).toMatchObject({ tool: "pay", input: 1, reason: "it costs money" });
  await approvals.answer("s", "s/7/c1", { decision: "allow", by: "ada" });
  await approvals.answer("s", "s/7/c2", { decision: "deny", by: "bob", reason: "no" });
  expect(await settleQuestions(session, approvals)).toBe(2);
  expect(session.decided).toEqual([
    ["c1", { kind: "allow", by: "ada" }],
    ["c2", { kind: "deny", by: "bob", reason: "no" }],
  ]);
});

test("a question that nobody answered in time is denied, and one whose input has changed, too", async () => {
  const { approvals } = dispatch;
  await settleQuestions(waitingSession({ c1: 1, c2: "shown" }), approvals, { expiresAtMs: NOW_MS + 10 });
  await approvals.answer("s", "s/7/c2", { decision: "allow", by: "ada" });
  nowMs += 10;
  const session = waitingSession({ c1: 1, c2: "run" });
  expect(await settleQuestions(session, approvals)).toBe(2);
  expect(session.decided).toEqual([
    ["c1", { kind: "deny", reason: expect.stringContaining("in time") }],
    ["c2", { kind: "deny", reason: expect.stringContaining("another input") }],
  ]);
});

test("questions that the turn no longer waits for are taken back, those of other sessions are not", async () => {
  const { approvals } = dispatch;
  await approvals.ask({ sessionId: "other", callId: "s/7/c1", tool: "pay", input: 1 });
  await settleQuestions(waitingSession({ c1: 1, c2: 2 }), approvals);
  await settleQuestions(waitingSession({ c2: 2 }), approvals);
  expect(await ids()).toEqual(["other: s/7/c1", "s: s/7/c2"]);
});
