// The middleware for the AI SDK: puts a session between an application and its model.

import type { LanguageModelV4Middleware } from "@ai-sdk/provider";
import type { Session } from "palimpsest";
import { checkOptions, withMethods } from "palimpsest/schema";
import type { AiSdkRequest, AiSdkResponse } from "../provider/wire.ts";
import type { CallContext } from "./begin-call.ts";
import { generate } from "./generate.ts";
import { createRecallTool, type RecallTool } from "./recall.ts";
import { createSessions, type SessionsOptions } from "./sessions.ts";
import { stream } from "./stream.ts";

/** Options of the middleware. Only `store` is required. */
export interface PalimpsestOptions extends SessionsOptions {
  /**
   * Called if an answer could not be recorded, for example because the disk is full or another server took the session over.
   * The application still gets the answer, and the next list of messages brings it again. @default console.warn
   */
  readonly onProblem?: (problem: Error) => void;
}

/** Middleware for `wrapLanguageModel`, with the tool `recall` and access to its sessions. */
export interface PalimpsestMiddleware extends LanguageModelV4Middleware {
  /** The tool `recall`, for `tools: { recall }`. Summaries and stubs mention the tool only if it is in the list of tools. */
  readonly recall: RecallTool;
  /** Returns the sessions that are open in this process, for costs, events and notes. */
  sessions(): readonly Session<AiSdkRequest, AiSdkResponse>[];
  /** Closes all sessions. Call it before the process ends. The store stays open. */
  close(): Promise<void>;
}

/**
 * Keeps the conversations of an application on the AI SDK inside the context window. The application keeps its own list of
 * messages. Each call adopts the list, and the model gets the messages that the session shows.
 *
 * Name the session of a call with `providerOptions: { palimpsest: { session: chatId } }`. Without a name, the messages identify
 * the session, and a list that matches two sessions begins a new one.
 */
export function palimpsest(options: PalimpsestOptions): PalimpsestMiddleware {
  checkOptions("palimpsest", options, { store: withMethods(["openWriter"], "a store: memoryStore()") });
  const { onProblem = (problem) => console.warn(problem.message), ...rest } = options;
  const sessions = createSessions(rest);
  const context: CallContext = { sessions, onProblem };
  return {
    specificationVersion: "v4",
    wrapGenerate: ({ params, model }) => generate(context, { params, model }),
    wrapStream: ({ params, model }) => stream(context, { params, model }),
    recall: createRecallTool(sessions),
    sessions: () => sessions.open(),
    close: () => sessions.close(),
  };
}
