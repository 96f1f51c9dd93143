// Begins one model call of the SDK, and records its answer.

import type { AgentInputItem, ModelRequest } from "@openai/agents";
import {
  type AdapterCall,
  type AdapterContext,
  beginAdapterCall,
  type Notice,
  withReport,
} from "palimpsest/adapter-parts";
import { toSentSettings } from "../provider/agents-model.ts";
import { toSyncMessages } from "../provider/read-items.ts";
import type { AgentsModel, AgentsRequest, AgentsResponse } from "../provider/wire.ts";
import { readConfiguration } from "./read-request.ts";
import type { LiveCall } from "./sessions.ts";

export interface CallContext extends AdapterContext<LiveCall> {
  readonly onNotice: (notice: Notice) => void;
}

/** A model of the SDK, and the session that handles its calls. */
export interface WrappedModel {
  readonly model: AgentsModel;
  readonly id: string;
  /** The name of the session. Without a name, the messages identify the session. */
  readonly session: string | undefined;
}

/** One model call of a session, from the SDK's list to the recorded answer. */
export interface Call extends Pick<AdapterCall, "recover" | "recordInterrupted" | "end"> {
  /** Returns the request to send now. */
  sent(): ModelRequest;
  /** Records the answer. Resolves to the provider data of the response for the caller. */
  record(response: AgentsResponse): Promise<Record<string, unknown>>;
}

/** Adopts the list of a request, and prepares the request that is sent in its place. */
export async function beginCall(
  { onNotice, ...context }: CallContext,
  { model, id, session }: WrappedModel,
  request: ModelRequest,
  answer: "streamed" | "whole",
): Promise<Call> {
  const { input, systemInstructions, tools, handoffs, modelSettings, signal } = request;
  const list: readonly AgentInputItem[] =
    typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
  const live: LiveCall = { id, model, tools, handoffs, modelSettings };
  const call = await beginAdapterCall(context, {
    list,
    key: session,
    model: id,
    live,
    messages: toSyncMessages(systemInstructions, list),
    configuration: readConfiguration(live),
    answer,
    signal,
  });
  return {
    sent() {
      const { systemInstructions: instructions, input: shown, ...limits } = call.request() as AgentsRequest;
      return {
        ...request,
        ...(instructions === undefined ? {} : { systemInstructions: instructions }),
        input: [...shown],
        modelSettings: toSentSettings(modelSettings, limits, model),
      };
    },
    recover: call.recover,
    async record(response) {
      // Some services send no id, and the log identifies responses by id.
      const report = await call.record({ ...response, responseId: response.responseId ?? crypto.randomUUID() });
      const { notices, compactions } = call.takeReports();
      for (const notice of notices) onNotice(notice);
      return withReport(response.providerData, report, compactions);
    },
    recordInterrupted: call.recordInterrupted,
    end: call.end,
  };
}
