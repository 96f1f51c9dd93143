import { callTool, callTools, createAnthropic } from "@palimpsest/provider-simulator";
import { type Block, toolResult } from "palimpsest";
import type { AnthropicRequest, AnthropicResponse } from "palimpsest/anthropic";
import type { Replacement } from "palimpsest/inspect";
import { hashOfRequest, type LabSession } from "./open-session.ts";

export interface LogPlan {
  /** What is appended at once, and how often: a call and its result in each round. */
  readonly roundsPerBatch: number;
  readonly batches: number;
  readonly resultBytes: number;
  /** What the model still sees at the end. */
  readonly tailTokens: number;
}

const FOLDS = {
  /** Every so many batches, all that came before is folded; every so many folds, that is taken back. */
  everyBatches: 5,
  restoredEvery: 3,
  /** Entries that a fold leaves as they are: reading begins before the boundary. */
  keptEntries: 6,
  /** A part of the tail is folded, and brought back at once, this many times. */
  undoneInTail: 4,
};
const TAIL_RESULT_BYTES = 4_096;

/** Writes a long life into a session. Returns a hash of the request that stands at its end. */
export async function writeSession(session: LabSession, plan: LogPlan): Promise<string> {
  await writePast(session, plan);
  return hashOfRequest(await writeTail(session, plan.tailTokens));
}

/** The bulk, without requests of its own: only its size matters to who opens the session. */
async function writePast(session: LabSession, { batches, roundsPerBatch, resultBytes }: LogPlan): Promise<void> {
  let folds = 0;
  for (let batch = 1; batch <= batches; batch++) {
    const rounds = Array.from({ length: roundsPerBatch }, (_, index) => batch * roundsPerBatch + index);
    await session.append([
      ...rounds.flatMap((round) => [
        { role: "assistant" as const, origin: "model" as const, blocks: [toCall(round)] },
        toolResult(`past_${round}`, textOf(round, resultBytes)),
      ]),
    ]);
    if (batch % FOLDS.everyBatches !== 0) continue;
    const decision = await foldUpTo(session, session.history.newestEntry - FOLDS.keptEntries);
    // The last one stays, or the end would be as large as everything.
    if (++folds % FOLDS.restoredEvery === 0 && batch < batches) await session.history.restore(decision);
  }
}

/** Round by round, as an agent lives it, each request taken by the simulated service. */
async function writeTail(session: LabSession, tailTokens: number): Promise<AnthropicRequest> {
  const service = createAnthropic({
    script: ({ turn }) => callTools(callTool("read_file", { path: `src/${turn}.ts` })),
  });
  await session.append("Go on with the failing test.");
  let undone = 0;
  for (let round = 0; ; round++) {
    const request = await session.prepare();
    const { tokens } = session.view.size();
    if (tokens >= tailTokens) return request;
    const answered = service.answer(request);
    if (answered.kind !== "answered") throw new Error(`The request of the lab was refused: ${answered.message}`);
    const { calls } = await session.record(answered.response as unknown as AnthropicResponse);
    await session.append(calls.map(({ id }) => toolResult(id, textOf(round, TAIL_RESULT_BYTES))));
    if (tokens < ((undone + 1) * tailTokens) / (FOLDS.undoneInTail + 1)) continue;
    undone++;
    await session.history.restore(await foldUpTo(session, session.history.newestEntry - FOLDS.keptEntries));
  }
}

function foldUpTo(session: LabSession, to: number): Promise<number> {
  const summary: Replacement = {
    role: "user",
    origin: "summary",
    blocks: [{ kind: "text", text: `Summary of entries 1 to ${to}: ${textOf(to, 2_000)}` }],
  };
  return session.history.fold({ from: 1, to }, [summary], "lab");
}

function toCall(round: number): Block {
  return { kind: "tool_call", id: `past_${round}`, name: "read_file", input: { path: `src/${round}.ts` } };
}

function textOf(seed: number, bytes: number): string {
  return `line ${seed} of what a tool returned\n`.repeat(Math.ceil(bytes / 30)).slice(0, bytes);
}
