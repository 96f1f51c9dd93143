import type { Session } from "palimpsest";
import type { Notice } from "palimpsest/adapter-parts";
import { checkOptions, withMethods } from "palimpsest/schema";
import type { PiRequest, PiResponse, PiStream } from "../provider/wire.ts";
import { createRecallTool, type RecallTool } from "./recall.ts";
import { createSessions, type SessionsOptions } from "./sessions.ts";
import { wrapStream } from "./wrap-stream.ts";

/** Options of the adapter. Only the store is required. */
export interface PalimpsestOptions extends SessionsOptions {
  /** Receives signs that another program manages the same messages, each once for a session. @default console.warn */
  readonly onNotice?: (notice: Notice) => void;
  /**
   * Receives errors that leave an answer unrecorded: a full disk, a session that another process has taken over. The agent still
   * gets the answer, and the next transcript brings it again. @default console.warn
   */
  readonly onProblem?: (problem: Error) => void;
}

/** A stream function with sessions behind it, and what belongs to it. */
export interface PalimpsestStream {
  /** The same stream function with sessions behind its calls, for `new Agent({ streamFn })`. `sessionId` of the agent names the session. */
  stream(stream: PiStream): PiStream;
  /** The tool `recall`, for the tools of an agent. Summaries and stubs name it only where it is among them. */
  readonly recall: RecallTool;
  /** Sessions that are open in this process: for costs, events and notes. */
  sessions(): readonly Session<PiRequest, PiResponse>[];
  /** Closes all sessions. Before a process ends; the store stays open. */
  close(): Promise<void>;
}

/**
 * Keeps the conversations of agents on pi-agent-core inside the context window. The agent keeps its own transcript: each call of
 * the model adopts it, and the model gets what the session shows of it.
 */
export function palimpsest(options: PalimpsestOptions): PalimpsestStream {
  checkOptions("palimpsest(options)", options, { store: withMethods(["openWriter"], "a store: memoryStore()") });
  const {
    onNotice = ({ message }) => console.warn(message),
    onProblem = (problem) => console.warn(problem.message),
    ...rest
  } = options;
  const sessions = createSessions(rest);
  return {
    stream: (stream) => wrapStream({ sessions, onNotice, onProblem }, stream),
    recall: createRecallTool(sessions),
    sessions: () => sessions.open(),
    close: () => sessions.close(),
  };
}
