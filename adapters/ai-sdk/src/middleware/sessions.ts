// Opens the sessions of the middleware, with the models of its calls as their provider.

import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { Provider } from "palimpsest";
import {
  type AdapterOptions,
  type AdapterSessions,
  connectNewest,
  createAdapterSessions,
} from "palimpsest/adapter-parts";
import type { ExtraModels } from "palimpsest/provider-parts";
import { present } from "palimpsest/schema";
import { type LanguageModelOptions, languageModel } from "../provider/language-model.ts";
import type { AiSdkMessage, AiSdkRequest, AiSdkResponse } from "../provider/wire.ts";

export interface SessionsOptions extends AdapterOptions, Pick<LanguageModelOptions, "cacheMark"> {
  /** Facts of models by the start of their ids, for models that are not in the engine's table. @default {} */
  readonly models?: ExtraModels;
}

/** The model and headers of the application's call, for the session's own calls. */
export interface LiveCall {
  readonly id: string;
  readonly model: LanguageModelV4;
  readonly headers: LanguageModelV4CallOptions["headers"];
}

export type Sessions = AdapterSessions<LiveCall>;

export function createSessions({ models, cacheMark, ...options }: SessionsOptions): Sessions {
  const connect = (first: LiveCall) =>
    connectNewest(first, ({ ofModel, newest }) =>
      askingForText(
        languageModel((id) => ofModel(id).model, {
          headers: () => newest().headers,
          ...(models && { models }),
          ...(cacheMark && { cacheMark }),
        }),
      ),
    );
  return createAdapterSessions({ prefix: "ai-", metadata: "aiSdk", connect }, options);
}

type AiSdkProvider = Provider<AiSdkRequest, AiSdkResponse, AiSdkMessage>;

/** Lets the session's own calls ask for text, even if the application forces another kind of answer. */
function askingForText(provider: AiSdkProvider): AiSdkProvider {
  return {
    ...provider,
    send({ responseFormat: _, toolChoice, ...request }, options) {
      const isForced = toolChoice?.type === "required" || toolChoice?.type === "tool";
      return provider.send({ ...request, ...(isForced ? {} : present({ toolChoice })) }, options);
    },
  };
}
