import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { DispatchWithQueue } from "../dispatch.ts";
import { openDispatch } from "../open-dispatch.ts";
import type { Question } from "./approvals.ts";
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

function waitingSession(): WaitingSession & { readonly decided: unknown[] } {
  const decided: unknown[] = [];
  return {
    id: "s",
    decided,
    turn: { decide: async (callId, decision) => decided.push([callId, decision]) },
  };
}

const ask = (callId: string, input: unknown = 1): Question => ({ sessionId: "s", callId, tool: "pay", input });

test("questions are asked once, and answers are recorded when they are there", async () => {
  const session = waitingSession();
  const { approvals } = dispatch;
  const questions = [ask("c1"), ask("c2"), ask("c3")];
  expect(await settleQuestions(session, questions, approvals)).toBe(0);
  expect(await settleQuestions(session, questions, approvals)).toBe(0);
  expect((await approvals.pending()).questions.map(({ callId }) => callId)).toEqual(["c1", "c2", "c3"]);
  await approvals.answer("s", "c1", { decision: "allow", by: "ada" });
  await approvals.answer("s", "c2", { decision: "deny", by: "bob", reason: "no" });
  expect(await settleQuestions(session, questions, approvals)).toBe(2);
  expect(session.decided).toEqual([
    ["c1", { kind: "allow", by: "ada" }],
    ["c2", { kind: "deny", by: "bob", reason: "no" }],
  ]);
});

test("a question that nobody answered in time is denied, and one whose input has changed, too", async () => {
  const session = waitingSession();
  const { approvals } = dispatch;
  await settleQuestions(session, [ask("c1")], approvals, { expiresAtMs: NOW_MS + 10 });
  await approvals.ask(ask("c2", "shown"));
  await approvals.answer("s", "c2", { decision: "allow", by: "ada" });
  nowMs += 10;
  expect(await settleQuestions(session, [ask("c1"), ask("c2", "run")], approvals)).toBe(2);
  expect(session.decided).toEqual([
    ["c1", { kind: "deny", by: "nobody", reason: expect.stringContaining("in time") }],
    ["c2", { kind: "deny", by: "nobody", reason: expect.stringContaining("another input") }],
  ]);
});

test("questions that the turn no longer waits for are taken back, those of other sessions are not", async () => {
  const session = waitingSession();
  const { approvals } = dispatch;
  await approvals.ask({ ...ask("c1"), sessionId: "other" });
  await settleQuestions(session, [ask("c1"), ask("c2")], approvals);
  await settleQuestions(session, [ask("c2")], approvals);
  await settleQuestions(session, [ask("c2")], approvals);
  const { questions } = await approvals.pending();
  expect(questions.map(({ sessionId, callId }) => [sessionId, callId])).toEqual([
    ["other", "c1"],
    ["s", "c2"],
  ]);
});
