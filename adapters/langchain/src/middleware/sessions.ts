// Opens the sessions of the middleware, with the models of its calls as their provider.

import {
  type AdapterOptions,
  type AdapterSessions,
  connectNewest,
  createAdapterSessions,
} from "palimpsest/adapter-parts";
import type { ExtraModels } from "palimpsest/provider-parts";
import { type Binding, type ChatModelOptions, chatModel } from "../provider/chat-model.ts";
import type { ChatModel } from "../provider/wire.ts";

export interface SessionsOptions extends AdapterOptions, Pick<ChatModelOptions, "cacheMark"> {
  /** Facts of models by the start of their ids, for models that are not in the engine's table. @default {} */
  readonly models?: ExtraModels;
}

/** The model and tools of the agent's call, for the session's own calls. */
export interface LiveCall extends Binding {
  readonly id: string;
  readonly model: ChatModel;
}

export type Sessions = AdapterSessions<LiveCall>;

export function createSessions({ models, cacheMark, ...options }: SessionsOptions): Sessions {
  const connect = (first: LiveCall) =>
    connectNewest(first, ({ ofModel, newest }) =>
      chatModel((id) => ofModel(id).model, {
        binding: newest,
        ...(models && { models }),
        ...(cacheMark && { cacheMark }),
      }),
    );
  return createAdapterSessions({ prefix: "lc-", metadata: "langchain", connect }, options);
}
