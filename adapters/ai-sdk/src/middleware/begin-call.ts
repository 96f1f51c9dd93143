// Begins one model call of the AI SDK, and records its answer.

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4CustomContent,
  SharedV4ProviderMetadata,
  SharedV4Warning,
} from "@ai-sdk/provider";
import { type AdapterCall, type AdapterContext, beginAdapterCall } from "palimpsest/adapter-parts";
import { toSyncMessages } from "../provider/read-messages.ts";
import type { AiSdkRequest, AiSdkResponse } from "../provider/wire.ts";
import { toCompactionPart } from "./compaction-part.ts";
import { readConfiguration, sessionKeyOf, toSent } from "./read-params.ts";
import type { LiveCall } from "./sessions.ts";

export type CallContext = AdapterContext<LiveCall>;

export interface WantedCall {
  readonly params: LanguageModelV4CallOptions;
  readonly model: LanguageModelV4;
  readonly answer: "streamed" | "whole";
}

/** One model call of a session, from the list of messages to the recorded answer. */
export interface Call extends Pick<AdapterCall, "recover" | "recordInterrupted" | "end"> {
  /** Returns the request to send now. */
  sent(): LanguageModelV4CallOptions;
  /** Returns the warnings and compactions since the last call of this method. */
  takeReports(): {
    readonly warnings: readonly SharedV4Warning[];
    readonly parts: readonly LanguageModelV4CustomContent[];
  };
  /** Records the answer. Resolves to the session's report for the caller. */
  record(response: AiSdkResponse): Promise<SharedV4ProviderMetadata>;
}

/** Adopts the caller's list of messages, and prepares the request that is sent in place of the list. */
export async function beginCall(context: CallContext, { params, model, answer }: WantedCall): Promise<Call> {
  const call = await beginAdapterCall(context, {
    list: params.prompt,
    key: sessionKeyOf(params),
    model: model.modelId,
    live: { id: model.modelId, model, headers: params.headers },
    messages: toSyncMessages(params.prompt),
    configuration: readConfiguration(params),
    answer,
    signal: params.abortSignal,
  });
  return {
    sent: () => toSent(params, call.request() as AiSdkRequest),
    takeReports() {
      const { notices, compactions } = call.takeReports();
      return {
        warnings: notices.map(({ message }) => ({ type: "other", message })),
        parts: compactions.map(toCompactionPart),
      };
    },
    recover: call.recover,
    record: async (response) => ({ palimpsest: { ...(await call.record(withId(response, model))) } }),
    recordInterrupted: call.recordInterrupted,
    end: call.end,
  };
}

/** Adds an id if the service sent none, because the log identifies responses by id. */
function withId(whole: AiSdkResponse, { modelId }: LanguageModelV4): AiSdkResponse {
  const { response } = whole;
  return {
    ...whole,
    response: { ...response, id: response?.id ?? crypto.randomUUID(), modelId: response?.modelId ?? modelId },
  };
}
