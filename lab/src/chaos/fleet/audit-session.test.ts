import { EMPTY_LOG, type Entry, sealEntries, sha256 } from "palimpsest/store-parts";
import { expect, test } from "vitest";
import { auditSession } from "./audit-session.ts";
import type { Effect } from "./effects-process.ts";
import { finishedText, type Job, jobText, UNKNOWN } from "./job.ts";

const job: Job = { session: "s1", turn: 1, rounds: [["pay"]] };
const MARK = "s1.1#0 pay";
type Line = readonly [role: "user" | "assistant", origin: string, block: object];
const said: Line = ["user", "user", { kind: "text", text: jobText(job, "Please.") }];
const call: Line = ["assistant", "model", { kind: "tool_call", id: "c1", name: "pay", input: { mark: MARK } }];
const result = (content: string): Line => [
  "user",
  "tool",
  { kind: "tool_result", callId: "c1", content, status: "ok" },
];
const done = result(`done: ${MARK}`);
const finished: Line = ["assistant", "model", { kind: "text", text: `${finishedText(job)} All is well.` }];
const effect: Effect = { tool: "pay", key: "k", mark: MARK, worker: 1, outcome: "done" };

function logOf(...lines: readonly Line[]): readonly Entry[] {
  const drafts = lines.map(([role, origin, block]) => ({
    kind: "message",
    version: 1,
    payload: JSON.stringify({ role, origin, blocks: [block] }),
  }));
  return sealEntries(drafts, { head: EMPTY_LOG, atMs: 1, digest: sha256 });
}

const auditLog = (entries: readonly Entry[], effects: readonly Effect[] = [effect]) =>
  auditSession({ session: "s1", jobs: [job], entries, effects });

test("a turn that came to its end is in order, also if the outcome of a call is unknown", () => {
  expect(auditLog(logOf(said, call, done, finished))).toEqual({ lost: [], twice: [], stuck: [], unknownCalls: [] });
  const unknown = logOf(said, call, result(`${UNKNOWN}: ...`), finished);
  expect(auditLog(unknown)).toEqual({ lost: [], twice: [], stuck: [], unknownCalls: ["c1"] });
  expect(auditLog(unknown, [])).toMatchObject({ lost: [], twice: [], unknownCalls: ["c1"] });
});

test.each([
  ["stuck", logOf(said, call, done), [effect]],
  ["stuck", logOf(), []],
  ["lost", logOf(call, done, finished), [effect]],
  ["lost", logOf(said, finished), []],
  ["lost", logOf(said, call, done, finished), []],
  ["lost", logOf(said, call, result("The tool failed."), finished), [effect]],
  ["lost", logOf(said, call, done, finished).toSpliced(0, 1, ...logOf(said, said).slice(1)), [effect]],
  ["lost", logOf(said, call, done, finished), [effect, { ...effect, mark: "s1.9#0 pay" }]],
  ["twice", logOf(said, said, call, done, finished), [effect]],
  ["twice", logOf(said, call, done, finished, finished), [effect]],
  ["twice", logOf(said, call, done, done, finished), [effect]],
  ["twice", logOf(said, call, done, finished), [effect, effect]],
] as const)("%s is found: %#", (kind, entries, effects) => {
  const audited = auditLog(entries, effects);
  expect(audited[kind].length).toBeGreaterThan(0);
});

test("an effect that was asked for again under its key took place once", () => {
  const again: Effect = { ...effect, outcome: "repeated" };
  expect(auditLog(logOf(said, call, done, finished), [effect, again])).toMatchObject({ lost: [], twice: [] });
});
