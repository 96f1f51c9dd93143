import { type PassedOver, type ReadEntry, readPayload } from "palimpsest/inspect";
import { checkChain, EMPTY_LOG, type Entry, sha256 } from "palimpsest/store-parts";
import type { Effect } from "./effects-process.ts";
import { finishedText, type Job, jobText, marksOf, UNKNOWN } from "./job.ts";

/** What is wrong with sessions, each counted where it is found. */
export interface Wrongs {
  /** Said, done or written, and not in the log; or in the log, and not done. */
  readonly lost: readonly string[];
  /** Effects, answers, results and messages that are there twice. */
  readonly twice: readonly string[];
  /** Turns without an end. */
  readonly stuck: readonly string[];
}

export interface SessionEvidence {
  readonly session: string;
  /** The jobs that were said, and acknowledged by the database. */
  readonly jobs: readonly Job[];
  /** The log, as it is read afterwards. */
  readonly entries: readonly Entry[];
  /** What the process that counts effects has in its file, for this session. */
  readonly effects: readonly Effect[];
}

export interface AuditedSession extends Wrongs {
  /** Calls whose outcome is unknown, by the log. */
  readonly unknownCalls: readonly string[];
}

/** Holds the log of a session against what was said to it, and against the effects that took place. */
export function auditSession({ session, jobs, entries, effects }: SessionEvidence): AuditedSession {
  const lost: string[] = [];
  const twice: string[] = [];
  const stuck: string[] = [];
  const read = entries.map(readPayload);
  for (const problem of checkChain(entries, EMPTY_LOG, sha256))
    lost.push(`${session}: chain: ${JSON.stringify(problem)}`);
  const texts = { user: textsOf(read, "user"), assistant: textsOf(read, "assistant") };
  const calls = callsOf(read);
  const byMark = Map.groupBy(effects, ({ mark }) => mark);
  for (const job of jobs) {
    const said = texts.user.filter((text) => text.startsWith(jobText(job).trim())).length;
    const finished = texts.assistant.filter((text) => text.startsWith(finishedText(job))).length;
    if (said > 1) twice.push(`${jobText(job)} was taken in ${said} times`);
    if (finished > 1) twice.push(`${finishedText(job)} was said ${finished} times`);
    if (finished === 0) stuck.push(jobText(job));
    if (finished > 0 && said === 0) lost.push(`${jobText(job)} is not in the log`);
    if (finished === 0) continue;
    for (const mark of marksOf(job)) {
      const made = calls.filter((call) => call.mark === mark);
      if (made.length !== 1) (made.length === 0 ? lost : twice).push(`${mark} was called ${made.length} times`);
    }
  }
  const unknownCalls: string[] = [];
  for (const { id, mark, results } of calls) {
    const [result = ""] = results;
    if (results.length > 1) twice.push(`${mark} has ${results.length} results`);
    if (result.startsWith(UNKNOWN)) unknownCalls.push(id);
    else if (result !== "" && result !== `done: ${mark}`) lost.push(`${mark} has the result ${JSON.stringify(result)}`);
    else if (result !== "" && !byMark.has(mark)) lost.push(`${mark} has a result, and took no effect`);
  }
  for (const [mark, ofMark] of byMark) {
    const done = ofMark.filter(({ tool, outcome }) => tool !== "look" && outcome === "done").length;
    if (done > 1) twice.push(`${mark} took effect ${done} times`);
    if (!calls.some((call) => call.mark === mark)) lost.push(`${mark} took effect, and its call is not in the log`);
  }
  return { lost, twice, stuck, unknownCalls };
}

type Read = ReadEntry | PassedOver;

interface FoundCall {
  readonly id: string;
  readonly mark: string;
  readonly results: readonly string[];
}

function blocksOf(read: readonly Read[]) {
  return read.flatMap((entry) =>
    entry.kind === "message" ? entry.payload.blocks.map((block) => ({ role: entry.payload.role, block })) : [],
  );
}

function textsOf(read: readonly Read[], wanted: "user" | "assistant"): readonly string[] {
  return blocksOf(read).flatMap(({ role, block }) => (role === wanted && block.kind === "text" ? [block.text] : []));
}

function callsOf(read: readonly Read[]): readonly FoundCall[] {
  const blocks = blocksOf(read).map(({ block }) => block);
  const results = Map.groupBy(
    blocks.filter((block) => block.kind === "tool_result"),
    ({ callId }) => callId,
  );
  return blocks
    .filter((block) => block.kind === "tool_call")
    .map(({ id, input }) => ({
      id,
      mark: (input as { readonly mark: string }).mark,
      results: (results.get(id) ?? []).map(({ content }) =>
        typeof content === "string" ? content : JSON.stringify(content),
      ),
    }));
}
