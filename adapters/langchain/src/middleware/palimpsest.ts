import type { ClientTool, ServerTool } from "@langchain/core/tools";
import {
  type AgentMiddleware,
  AIMessage,
  createMiddleware,
  type ModelRequest,
  type Runtime,
  type SystemMessage,
} from "langchain";
import type { Session } from "palimpsest";
import { type AdapterContext, beginAdapterCall, type Notice, withReport } from "palimpsest/adapter-parts";
import { asString, checkOptions, withMethods } from "palimpsest/schema";
import { formOf } from "../provider/chat-model.ts";
import { toLiveMessages } from "../provider/live-messages.ts";
import { countCleared, toSyncMessages } from "../provider/read-messages.ts";
import { usualMark } from "../provider/render-request.ts";
import type { LangChainRequest, LangChainResponse } from "../provider/wire.ts";
import { type HeardAnswer, hearAnswer } from "./hear-answer.ts";
import { findChatModel, messagesOf, readConfiguration, toLiveCall, withoutMark } from "./read-request.ts";
import { createRecallTool } from "./recall.ts";
import { createSessions, type LiveCall, type SessionsOptions } from "./sessions.ts";

/** Options of the middleware. Only the store is required. */
export interface PalimpsestOptions extends SessionsOptions {
  /** The name of the session that a run belongs to. @default `configurable.thread_id`; without one it is recognized by its messages */
  readonly session?: (runtime: Runtime) => string | undefined;
  /** Whether the agent gets the tool `recall`. Summaries and stubs name it only then. @default "offered" */
  readonly recall?: "offered" | "left-out";
  /** Receives signs that another program manages the same messages, each once for a session. @default console.warn */
  readonly onNotice?: (notice: Notice) => void;
  /**
   * Receives errors that leave an answer unrecorded: a full disk, a session that another server has taken over. The application
   * still gets the answer, and the next list of messages brings it again. @default console.warn
   */
  readonly onProblem?: (problem: Error) => void;
}

/** Middleware for `createAgent`, and what belongs to it. */
export interface PalimpsestMiddleware
  extends AgentMiddleware<undefined, undefined, unknown, readonly (ClientTool | ServerTool)[], readonly []> {
  /** Sessions that are open in this process: for costs, events and notes. */
  sessions(): readonly Session<LangChainRequest, LangChainResponse>[];
  /** Closes all sessions. Before a process ends; the store stays open. */
  close(): Promise<void>;
}

/** Kind of the chunks that show compactions in `streamMode: "custom"`. */
const COMPACTION = "palimpsest.compaction";

/**
 * Keeps the conversations of a LangChain agent inside the context window. The agent's state keeps all messages: each model call
 * adopts the list, and the model gets what the session shows of it. Put it last, so that it sees what the model would get.
 */
export function palimpsest(options: PalimpsestOptions): PalimpsestMiddleware {
  checkOptions("palimpsest(options)", options, { store: withMethods(["openWriter"], "a store: memoryStore()") });
  const {
    session: sessionOf = ({ configurable }) => asString(configurable?.thread_id),
    recall = "offered",
    onNotice = ({ message }) => console.warn(message),
    onProblem = (problem) => console.warn(problem.message),
    ...rest
  } = options;
  const { cacheMark = usualMark } = rest;
  const sessions = createSessions(rest);
  const context: AdapterContext<LiveCall> = { sessions, onProblem };

  async function callModel(request: ModelRequest, send: (prepared: ModelRequest) => unknown): Promise<unknown> {
    const model = await findChatModel(request.model);
    const live = toLiveCall(request, model);
    const { systemMessage, messages, runtime } = request;
    const call = await beginAdapterCall(context, {
      list: messages,
      key: sessionOf(runtime),
      model: live.id,
      live,
      messages: toSyncMessages(systemMessage.text === "" ? messages : [systemMessage, ...messages]),
      configuration: readConfiguration(live),
      // Whether the answer is streamed is decided behind this.
      answer: "whole",
      signal: runtime.signal,
      clearedResults: countCleared(messages),
    });

    const prepared = (heard: HeardAnswer): ModelRequest => {
      const { system, messages: shown } = call.request() as LangChainRequest;
      const form = formOf(model, cacheMark);
      return {
        ...request,
        messages: toLiveMessages(shown, form),
        ...(system === undefined ? {} : { systemMessage: toLiveMessages([system], form)[0] as SystemMessage }),
        modelSettings: heard.settings(request.modelSettings && withoutMark(request.modelSettings)),
      };
    };
    const sendUntilItFits = async (): Promise<unknown> => {
      for (;;) {
        const heard = hearAnswer(live.id);
        try {
          return await send(prepared(heard));
        } catch (error) {
          // The framework drops an answer that was stopped or has failed. Its price counts.
          await call.recordInterrupted(heard.answer(), { view: "left-out" });
          if ((await call.recover(error)) === "give-up") throw error;
        }
      }
    };

    try {
      const result = await sendUntilItFits();
      const message = messagesOf(result).find((one): one is AIMessage => AIMessage.isInstance(one));
      if (message === undefined) return result;
      // Some models give their answers no id, and the log knows answers by theirs.
      message.id ??= crypto.randomUUID();
      const report = await call.record({ message, model: live.id });
      const { notices, compactions } = call.takeReports();
      for (const notice of notices) onNotice(notice);
      for (const data of compactions) runtime.writer?.({ type: COMPACTION, ...data });
      message.response_metadata = withReport(message.response_metadata, report, compactions);
      return result;
    } finally {
      call.end();
    }
  }

  // No `wrapToolCall`: where one is, the framework no longer turns the errors of tools into results.
  const middleware = createMiddleware({
    name: "Palimpsest",
    tools: recall === "offered" ? [createRecallTool(sessions)] : [],
    wrapModelCall: (request, handler) =>
      callModel(request as unknown as ModelRequest, (prepared) =>
        handler(prepared as unknown as typeof request),
      ) as Promise<AIMessage>,
  });
  const own = { sessions: () => sessions.open(), close: () => sessions.close() };
  return Object.assign(middleware, own) as unknown as PalimpsestMiddleware;
}
