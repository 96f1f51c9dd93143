import { PalimpsestError } from "palimpsest";
import { PathError } from "palimpsest/store-parts";
import type { RecordedAgent } from "./recorded.ts";

/** Thrown when the beginning of a file matches none of the known formats. */
export class UnknownTranscriptError extends PalimpsestError {
  static readonly code = "unknown-transcript";
  readonly code: string = UnknownTranscriptError.code;
  /** The number of lines that were checked. */
  readonly lineCount: number;
  /** The beginning of the first line that is not blank. */
  readonly firstLine: string;
  readonly knownAgents: readonly RecordedAgent[];

  constructor(seen: { lineCount: number; firstLine: string; knownAgents: readonly RecordedAgent[] }) {
    const found =
      seen.firstLine === ""
        ? "it has no readable line"
        : `none of its first ${seen.lineCount} lines tells whose it is; they begin with ${JSON.stringify(seen.firstLine)}`;
    super(`This is no transcript that can be read: ${found}. Known are those of ${seen.knownAgents.join(", ")}.`);
    this.lineCount = seen.lineCount;
    this.firstLine = seen.firstLine;
    this.knownAgents = seen.knownAgents;
  }
}

/** Thrown when a file contains several sessions and the caller chose none. */
export class SeveralSessionsError extends PathError {
  static readonly code = "several-sessions";
  readonly code: string = SeveralSessionsError.code;
  readonly sessions: readonly string[];

  constructor(path: string, sessions: readonly string[]) {
    const shown = sessions.slice(-5).join(", ");
    super(path, `${path} holds ${sessions.length} sessions. Say which: { path, session }. The newest are ${shown}.`);
    this.sessions = sessions;
  }
}
