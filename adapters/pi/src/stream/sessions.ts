// Opens the sessions of the adapter, with the models of its calls as their provider.

import {
  type AdapterOptions,
  type AdapterSessions,
  connectNewest,
  createAdapterSessions,
} from "palimpsest/adapter-parts";
import type { ExtraModels } from "palimpsest/provider-parts";
import { piModel } from "../provider/pi-model.ts";
import type { PiBinding, PiModel, PiStream } from "../provider/wire.ts";

export interface SessionsOptions extends AdapterOptions {
  /** Facts of models by the start of their ids. They win over the facts of pi's models. @default {} */
  readonly models?: ExtraModels;
}

/** The model, stream function, tools and options of the agent's call, for the session's own calls. */
export interface LiveCall extends PiBinding {
  readonly id: string;
  readonly model: PiModel;
  readonly stream: PiStream;
}

export type Sessions = AdapterSessions<LiveCall>;

export function createSessions({ models, ...options }: SessionsOptions): Sessions {
  const connect = (first: LiveCall) =>
    connectNewest(first, ({ ofModel, newest }) =>
      piModel(
        (...call) => newest().stream(...call),
        (id) => ofModel(id).model,
        {
          binding: newest,
          ...(models && { models }),
        },
      ),
    );
  return createAdapterSessions({ prefix: "pi-", metadata: "pi", connect }, options);
}
