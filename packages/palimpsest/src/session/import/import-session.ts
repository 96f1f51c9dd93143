import { gatherResponses } from "../../import/gather-responses.ts";
import type { RecordedAgent, RecordedEntry, RecordedSession } from "../../import/recorded.ts";
import { anAsyncIterable, checkArgument, checkOptions, withMethods } from "../../log/check-options.ts";
import { type KnownModel, knownModel } from "../../providers/known-model.ts";
import type { Store } from "../../stores/store.ts";
import { SessionBusyError, SessionLostError } from "../session-errors.ts";
import { openSessionState } from "../session-state.ts";
import { createBufferedWriter } from "./buffered-writer.ts";
import { createStepWriter, type StepWriter } from "./write-steps.ts";

export interface ImportSessionOptions {
  readonly store: Store;
  /** Of the session here. @default the agent's name and the session's id there */
  readonly id?: string;
  /** What is known of a model: its prices, how long its prompts are cached, whose form goes on with it. @default the tables */
  readonly modelOf?: (model: string) => KnownModel;
  /** Who writes, for whoever finds the session in use. @default "process" and its number */
  readonly owner?: string;
}

export type ImportedSession =
  | {
      readonly kind: "imported";
      readonly id: string;
      readonly agent: RecordedAgent;
      readonly entries: number;
      readonly responses: number;
      /** Responses of subagents: what they used is counted, what they said is not in this conversation. */
      readonly subagentResponses: number;
      readonly compactions: number;
      /** Lines of the transcript that could not be read. */
      readonly damagedLines: number;
    }
  /** A session of this id is here already. Nothing was written. */
  | { readonly kind: "exists"; readonly id: string; readonly entries: number }
  /** Nothing was said in it. Nothing was written. */
  | { readonly kind: "nothing" };

/**
 * Writes a recorded session of another agent into a log of our own, with the times it had: messages, tool results, what was used
 * and what that cost, boundaries where it was compacted. From then on it is a session like any other. Holds one round at a time.
 */
export async function importSession(
  recorded: AsyncIterable<RecordedEntry>,
  options: ImportSessionOptions,
): Promise<ImportedSession> {
  checkArgument("importSession(recorded)", recorded, anAsyncIterable("what readTranscript(path) returns"));
  checkOptions("importSession", options, { store: withMethods(["openWriter"], "the store for its log") });
  const { store, id, modelOf = knownModel, owner = `process ${process.pid}` } = options;
  const counts = { responses: 0, subagentResponses: 0, compactions: 0, damagedLines: 0 };
  let session: RecordedSession | undefined;
  let target: Target | undefined;
  try {
    for await (const step of gatherResponses(recorded)) {
      if (step.kind === "session") session = step;
      if (step.kind === "damage") counts.damagedLines++;
      if (session === undefined || step.kind === "session" || step.kind === "damage") continue;
      if (target === undefined) {
        const name = id ?? toSessionId(`${session.agent}-${session.id}`);
        const opened = await openTarget(name, { store, owner, agent: session.agent, modelOf });
        if ("kind" in opened) return opened;
        target = opened;
      }
      if (step.kind === "response") counts[step.branch === "sidechain" ? "subagentResponses" : "responses"]++;
      if (step.kind === "compaction") counts.compactions++;
      await target.steps.write(step);
    }
    if (target === undefined) return { kind: "nothing" };
    await target.steps.finish();
    return { kind: "imported", id: target.id, agent: target.agent, ...counts, entries: await target.flush() };
  } finally {
    await target?.close();
  }
}

/** The log that is written. */
interface Target {
  readonly id: string;
  readonly agent: RecordedAgent;
  readonly steps: StepWriter;
  /** Resolves to the number of entries when all of them are kept. */
  flush(): Promise<number>;
  close(): Promise<void>;
}

interface TargetOptions extends Required<Pick<ImportSessionOptions, "store" | "owner" | "modelOf">> {
  readonly agent: RecordedAgent;
}

async function openTarget(
  id: string,
  { store, owner, agent, modelOf }: TargetOptions,
): Promise<Target | Extract<ImportedSession, { kind: "exists" }>> {
  const result = await store.openWriter(id, { owner });
  if (result.kind === "busy") throw new SessionBusyError({ session: id, ...result });
  const { sequence } = await result.writer.head();
  if (sequence > 0) {
    await result.writer.close();
    return { kind: "exists", id, entries: sequence };
  }
  const writer = await createBufferedWriter(result.writer);
  let nowMs = 0;
  const state = await openSessionState({ session: id, writer, clock: { now: () => nowMs } });
  const setTime = (atMs: number): void => {
    nowMs = Math.round(atMs);
  };
  return {
    ...{ id, agent, steps: createStepWriter({ state, agent, modelOf, setTime }) },
    async flush() {
      const flushed = await writer.flush();
      if (flushed.kind !== "appended") throw new SessionLostError(id, "somebody else has begun to write it");
      return state.newestEntry;
    },
    close: () => state.close(),
  };
}

/** Stores take ids that can name a file: letters, digits, `_`, `.` and `-`, a hundred at most. */
function toSessionId(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]+/g, "-").slice(0, 100);
}
