// The adapter for pi: puts a session between an agent and its stream function.

import type { Session } from "palimpsest";
import type { Notice } from "palimpsest/adapter-parts";
import { checkOptions, withMethods } from "palimpsest/schema";
import type { PiRequest, PiResponse, PiStream } from "../provider/wire.ts";
import { createRecallTool, type RecallTool } from "./recall.ts";
import { createSessions, type SessionsOptions } from "./sessions.ts";
import { wrapStream } from "./wrap-stream.ts";

/** Options of the adapter. Only `store` is required. */
export interface PalimpsestOptions extends SessionsOptions {
  /** Called with signs that another program manages the same messages, once per session and kind. @default console.warn */
  readonly onNotice?: (notice: Notice) => void;
  /**
   * Called if an answer could not be recorded, for example because the disk is full or another process took the session over.
   * The agent still gets the answer, and the next transcript brings it again. @default console.warn
   */
  readonly onProblem?: (problem: Error) => void;
}

/** Wraps stream functions, and gives access to their sessions. */
export interface PalimpsestStream {
  /** Wraps a stream function for `new Agent({ streamFn })`: sessions handle its calls. The agent's `sessionId` names the session. */
  stream(stream: PiStream): PiStream;
  /** The tool `recall`, for the tools of an agent. Summaries and stubs mention the tool only if the agent has it. */
  readonly recall: RecallTool;
  /** Returns the sessions that are open in this process, for costs, events and notes. */
  sessions(): readonly Session<PiRequest, PiResponse>[];
  /** Closes all sessions. Call it before the process ends. The store stays open. */
  close(): Promise<void>;
}

/**
 * Keeps the conversations of agents on pi-agent-core inside the context window. The agent keeps its own transcript. Each model
 * call adopts the transcript, and the model gets the messages that the session shows.
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
