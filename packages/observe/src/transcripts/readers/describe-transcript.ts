import { stat } from "node:fs/promises";
import type { ReadLinesOptions } from "./read-lines.ts";
import { readTranscript, type TranscriptReference } from "./read-transcript.ts";
import type { RecordedAgent, RecordedEntry } from "./recorded.ts";
import { UnknownTranscriptError } from "./transcript-errors.ts";

/** A session of another agent, found on this machine. */
export interface TranscriptDescription extends TranscriptReference {
  readonly agent: RecordedAgent;
  readonly id: string;
  /** The first message, or its beginning. Empty if there is none among the first entries. */
  readonly title: string;
  readonly startedAtMs: number;
  readonly cwd?: string;
  /** The session that started this subagent or fork. */
  readonly parentSession?: string;
  /** The size of the file. */
  readonly bytes: number;
  /** When the file was last written. */
  readonly writtenAtMs: number;
}

const TITLE_CHARACTERS = 200;
/** The first message comes early. A file of any size without one is not read to its end. */
const TITLE_ENTRIES = 200;

/** Describes a transcript by its first entries. Undefined: the file holds no session. */
export async function describeTranscript(
  reference: TranscriptReference,
  options: ReadLinesOptions = {},
): Promise<TranscriptDescription | undefined> {
  let described: TranscriptDescription | undefined;
  let entries = 0;
  try {
    for await (const entry of readTranscript(reference, options)) {
      entries += 1;
      if (entry.kind === "session") {
        const { kind, version, ...session } = entry;
        const { size: bytes, mtimeMs: writtenAtMs } = await stat(reference.path);
        described = { ...reference, ...session, title: "", bytes, writtenAtMs };
      }
      if (described === undefined) continue;
      if (isFirstMessage(entry, described)) return { ...described, title: titleOf(entry) };
      if (entries > TITLE_ENTRIES) break;
    }
  } catch (error) {
    if (!UnknownTranscriptError.isInstance(error)) throw error;
  }
  return described;
}

type Message = Extract<RecordedEntry, { kind: "message" }>;

/** The task of a subagent comes from its parent, not from a human. */
function isFirstMessage(entry: RecordedEntry, { parentSession }: TranscriptDescription): entry is Message {
  return entry.kind === "message" && entry.role === "user" && (entry.origin === "human" || parentSession !== undefined);
}

function titleOf({ blocks }: Message): string {
  const text = blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join(" ");
  return text.slice(0, TITLE_CHARACTERS).toWellFormed();
}
