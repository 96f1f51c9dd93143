import type { Store } from "palimpsest";
import type { Agent } from "../../agent/agent.ts";
import { readTranscript, showChanges } from "../../workspace/read-transcript.ts";
import type { Screen } from "../screen.ts";

interface TranscriptPorts {
  /** The open session. */
  readonly session: () => Agent["session"];
  readonly store: Store;
  readonly emit: Screen["emit"];
  readonly show: (what: "conversation" | "transcript") => Promise<void>;
}

/** The whole conversation on a screen of its own. */
export interface Transcript {
  open(): Promise<void>;
  /** Undoes a compaction, and shows the conversation again. */
  undo(boundary: number): Promise<void>;
}

export function createTranscript({ session, store, emit, show }: TranscriptPorts): Transcript {
  /** @param said what was done, for the last line. @default nothing */
  async function open(said?: string): Promise<void> {
    const log = (await store.openReader(session().id))!;
    const entries = await showChanges(await readTranscript(log));
    emit({ kind: "transcript-read", entries, ...(said === undefined ? {} : { said }) });
    await show("transcript");
  }

  const tokens = (): string => session().view.size().tokens.toLocaleString("en-US");

  return {
    open: () => open(),
    async undo(boundary) {
      const before = tokens();
      await session().history.restore(boundary, "undone in the transcript");
      await open(`Compaction undone: ${before} -> ${tokens()} tokens.`);
    },
  };
}
