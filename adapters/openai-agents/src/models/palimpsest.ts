// The adapter for the OpenAI Agents SDK: puts a session between an agent and its model.

import type { Model, ModelProvider } from "@openai/agents";
import type { Session } from "palimpsest";
import type { Notice } from "palimpsest/adapter-parts";
import { asObject, asString, checkOptions, withMethods } from "palimpsest/schema";
import type { AgentsRequest, AgentsResponse } from "../provider/wire.ts";
import type { CallContext } from "./begin-call.ts";
import { createRecallTool, type RecallTool } from "./recall.ts";
import { createSessions, type SessionsOptions } from "./sessions.ts";
import { wrapModel } from "./wrap-model.ts";

/** Options of the adapter. Only `store` is required. */
export interface PalimpsestOptions extends SessionsOptions {
  /** Called with signs that another program manages the same items, once per session and kind. @default console.warn */
  readonly onNotice?: (notice: Notice) => void;
  /**
   * Called if an answer could not be recorded, for example because the disk is full or another server took the session over.
   * The application still gets the answer, and the next list of items brings it again. @default console.warn
   */
  readonly onProblem?: (problem: Error) => void;
}

/** Wraps models, and gives access to their sessions. */
export interface PalimpsestModels {
  /**
   * Wraps a provider for `new Runner({ modelProvider })`: sessions handle the calls of its models.
   * @param session the name of the conversation. @default the items identify the conversation
   */
  models(provider: ModelProvider, session?: string): ModelProvider;
  /** Wraps one model, for `new Agent({ model })`. */
  model(model: Model, id: string, session?: string): Model;
  /** The tool `recall`, for `tools: [recall]`. Summaries and stubs mention the tool only if it is in the list of tools. */
  readonly recall: RecallTool;
  /** Returns the sessions that are open in this process, for costs, events and notes. */
  sessions(): readonly Session<AgentsRequest, AgentsResponse>[];
  /** Closes all sessions. Call it before the process ends. The store stays open. */
  close(): Promise<void>;
}

/**
 * Keeps the conversations of agents on the OpenAI Agents SDK inside the context window. The application keeps its own history (a
 * `Session` of the SDK, or `result.history`). Each model call adopts the list, and the model gets the items that the session
 * shows.
 */
export function palimpsest(options: PalimpsestOptions): PalimpsestModels {
  checkOptions("palimpsest(options)", options, { store: withMethods(["openWriter"], "a store: memoryStore()") });
  const {
    onNotice = ({ message }) => console.warn(message),
    onProblem = (problem) => console.warn(problem.message),
    ...rest
  } = options;
  const sessions = createSessions(rest);
  const context: CallContext = { sessions, onNotice, onProblem };
  const wrap = (model: Model, id: string, session: string | undefined): Model =>
    wrapModel(context, { model, id, session });
  return {
    models: (provider, session) => ({
      async getModel(name) {
        const model = await provider.getModel(name);
        return wrap(model, idOf(model) ?? name ?? "unknown", session);
      },
    }),
    model: wrap,
    recall: createRecallTool(sessions),
    sessions: () => sessions.open(),
    close: () => sessions.close(),
  };
}

/** Returns the id of a model. Models of the SDK keep the name that they were created with, which the provider may have chosen. */
function idOf(model: Model): string | undefined {
  return asString(asObject(model)?.["_model"]);
}
