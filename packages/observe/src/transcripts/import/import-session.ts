import type { Store } from "palimpsest";
import { openRecorder, type SessionRecorder } from "palimpsest/inspect";
import { type KnownModel, knownModel } from "palimpsest/provider-parts";
import { anAsyncIterable, checkArgument, checkOptions, withMethods } from "palimpsest/schema";

import { gatherResponses } from "../readers/gather-responses.ts";
import type { RecordedAgent, RecordedEntry, RecordedSession } from "../readers/recorded.ts";
import { createStepWriter, type StepWriter } from "./write-steps.ts";

export interface ImportSessionOptions {
  readonly store: Store;
  /** The id of the session here. @default the agent's name and the session's id there */
  readonly id?: string;
  /**
   * Information about a model: its prices, the lifetime of its cached prompts, and the wire format to continue with. @default
   * the tables
   */
  readonly modelOf?: (model: string) => KnownModel;
  /** The name of the writer, shown to others that find the session in use. @default "process" and its number */
  readonly owner?: string;
}

export type ImportedSession =
  | {
      readonly kind: "imported";
      readonly id: string;
      readonly agent: RecordedAgent;
      readonly entries: number;
      readonly responses: number;
      /** Responses of subagents: their usage is counted, their texts are not part of this conversation. */
      readonly subagentResponses: number;
      readonly compactions: number;
      /** Lines of the transcript that cannot be read. */
      readonly damagedLines: number;
    }
  /** A session with this id already exists here. Nothing was written. */
  | { readonly kind: "exists"; readonly id: string; readonly entries: number }
  /** The transcript has no messages. Nothing was written. */
  | { readonly kind: "nothing" };

/**
 * Imports a recorded session of another agent into a log of our own, with its original times: messages, tool results, usage and
 * its cost, and boundaries where it was compacted. After that it is an ordinary session. Holds one round in memory at a time.
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
  let recorder: SessionRecorder | undefined;
  let steps: StepWriter | undefined;
  try {
    for await (const step of gatherResponses(recorded)) {
      if (step.kind === "session") session = step;
      if (step.kind === "damage") counts.damagedLines++;
      if (session === undefined || step.kind === "session" || step.kind === "damage") continue;
      if (steps === undefined) {
        const { agent } = session;
        const name = id ?? toSessionId(`${agent}-${session.id}`);
        const opened = await openRecorder({ store, id: name, owner });
        if (opened.kind === "exists") return { kind: "exists", id: name, entries: opened.entries };
        recorder = opened.recorder;
        steps = createStepWriter({ recorder, agent, modelOf });
      }
      if (step.kind === "response") counts[step.branch === "sidechain" ? "subagentResponses" : "responses"]++;
      if (step.kind === "compaction") counts.compactions++;
      await steps.write(step);
    }
    if (session === undefined || recorder === undefined || steps === undefined) return { kind: "nothing" };
    await steps.finish();
    return { kind: "imported", id: recorder.id, agent: session.agent, ...counts, entries: await recorder.flush() };
  } finally {
    await recorder?.close();
  }
}

/** Stores accept ids that can name a file: letters, digits, `_`, `.` and `-`, a hundred at most. */
function toSessionId(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]+/g, "-").slice(0, 100);
}
