import type { Model, ModelProvider } from "@openai/agents";
import type { Session } from "palimpsest";
import type { Notice } from "palimpsest/adapter-parts";
import { asObject, asString, checkOptions, withMethods } from "palimpsest/schema";
import type { AgentsRequest, AgentsResponse } from "../provider/wire.ts";
import type { CallContext } from "./begin-call.ts";
import { createRecallTool, type RecallTool } from "./recall.ts";
import { createSessions, type SessionsOptions } from "./sessions.ts";
import { wrapModel } from "./wrap-model.ts";

/** Options of the adapter. Only the store is required. */
export interface PalimpsestOptions extends SessionsOptions {
  /** Receives signs that another program manages the same items, each once for a session. @default console.warn */
  readonly onNotice?: (notice: Notice) => void;
  /**
   * Receives errors that leave an answer unrecorded: a full disk, a session that another server has taken over. The application
   * still gets the answer, and the next list of items brings it again. @default console.warn
   */
  readonly onProblem?: (problem: Error) => void;
}

/** Models with sessions behind them, and what belongs to them. */
export interface PalimpsestModels {
  /**
   * A provider for `new Runner({ modelProvider })` whose models have sessions behind them.
   * @param session the name of the conversation. @default it is recognized by its items
   */
  models(provider: ModelProvider, session?: string): ModelProvider;
  /** The same for one model, for `new Agent({ model })`. */
  model(model: Model, id: string, session?: string): Model;
  /** The tool `recall`, for `tools: [recall]`. Summaries and stubs name it only where it is among the tools. */
  readonly recall: RecallTool;
  /** Sessions that are open in this process: for costs, events and notes. */
  sessions(): readonly Session<AgentsRequest, AgentsResponse>[];
  /** Closes all sessions. Before a process ends; the store stays open. */
  close(): Promise<void>;
}

/**
 * Keeps the conversations of agents on the OpenAI Agents SDK inside the context window. The application keeps its own history (a
 * `Session` of the SDK, or `result.history`): each model call adopts the list, and the model gets what the session shows of it.
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

/** Models of the SDK know the name that they were made with, and a provider may have chosen it. */
function idOf(model: Model): string | undefined {
  return asString(asObject(model)?.["_model"]);
}
