// The middleware for LangChain: puts a session between an agent and its model.

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
import { type AnswerListener, listenToAnswer } from "./answer-listener.ts";
import { findChatModel, messagesOf, readConfiguration, toLiveCall, withoutMark } from "./read-request.ts";
import { createRecallTool } from "./recall.ts";
import { createSessions, type LiveCall, type SessionsOptions } from "./sessions.ts";

/** Options of the middleware. Only `store` is required. */
export interface PalimpsestOptions extends SessionsOptions {
  /** Returns the name of a run's session. @default `configurable.thread_id`; without a thread, the messages identify the session */
  readonly session?: (runtime: Runtime) => string | undefined;
  /** Whether the agent gets the tool `recall`. Summaries and stubs mention the tool only if the agent has it. @default "offered" */
  readonly recall?: "offered" | "left-out";
  /** Called with signs that another program manages the same messages, once per session and kind. @default console.warn */
  readonly onNotice?: (notice: Notice) => void;
  /**
   * Called if an answer could not be recorded, for example because the disk is full or another server took the session over.
   * The application still gets the answer, and the next list of messages brings it again. @default console.warn
   */
  readonly onProblem?: (problem: Error) => void;
}

/** Middleware for `createAgent`, with access to its sessions. */
export interface PalimpsestMiddleware
  extends AgentMiddleware<undefined, undefined, unknown, readonly (ClientTool | ServerTool)[], readonly []> {
  /** Returns the sessions that are open in this process, for costs, events and notes. */
  sessions(): readonly Session<LangChainRequest, LangChainResponse>[];
  /** Closes all sessions. Call it before the process ends. The store stays open. */
  close(): Promise<void>;
}

/**
 * Keeps the conversations of a LangChain agent inside the context window. The agent's state keeps all messages. Each model call
 * adopts the list, and the model gets the messages that the session shows. Put the middleware last, so that it sees the messages
 * that the model would get.
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
      // The middleware cannot know whether the model will stream the answer.
      answer: "whole",
      signal: runtime.signal,
      clearedResults: countCleared(messages),
    });

    const prepared = (listener: AnswerListener): ModelRequest => {
      const { system, messages: shown } = call.request() as LangChainRequest;
      const form = formOf(model, cacheMark);
      return {
        ...request,
        messages: toLiveMessages(shown, form),
        ...(system === undefined ? {} : { systemMessage: toLiveMessages([system], form)[0] as SystemMessage }),
        modelSettings: listener.settings(request.modelSettings && withoutMark(request.modelSettings)),
      };
    };
    const sendUntilItFits = async (): Promise<unknown> => {
      for (;;) {
        const listener = listenToAnswer(live.id);
        try {
          return await send(prepared(listener));
        } catch (error) {
          // The framework drops an answer that was interrupted or failed, but its price counts.
          await call.recordInterrupted(listener.answer(), { view: "left-out" });
          if ((await call.recover(error)) === "give-up") throw error;
        }
      }
    };

    try {
      const result = await sendUntilItFits();
      const message = messagesOf(result).find((one): one is AIMessage => AIMessage.isInstance(one));
      if (message === undefined) return result;
      // Some models send no id, and the log identifies answers by id.
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

  // With a `wrapToolCall`, the framework would no longer turn the errors of tools into results.
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

/** The type of the chunks that report compactions in `streamMode: "custom"`. */
const COMPACTION = "palimpsest.compaction";
