// Opens the sessions of the adapter, with the models of its calls as their provider.

import {
  type AdapterOptions,
  type AdapterSessions,
  connectNewest,
  createAdapterSessions,
} from "palimpsest/adapter-parts";
import type { ExtraModels } from "palimpsest/provider-parts";
import { agentsModel } from "../provider/agents-model.ts";
import type { AgentsBinding, AgentsModel } from "../provider/wire.ts";

export interface SessionsOptions extends AdapterOptions {
  /** Facts of models by the start of their ids, for models that are not in the engine's table. @default {} */
  readonly models?: ExtraModels;
}

/** The model, tools and settings of the agent's call, for the session's own calls. */
export interface LiveCall extends AgentsBinding {
  readonly id: string;
  readonly model: AgentsModel;
}

export type Sessions = AdapterSessions<LiveCall>;

export function createSessions({ models, ...options }: SessionsOptions): Sessions {
  const connect = (first: LiveCall) =>
    connectNewest(first, ({ ofModel, newest }) =>
      agentsModel((id) => ofModel(id).model, { binding: newest, ...(models && { models }) }),
    );
  return createAdapterSessions({ prefix: "oa-", metadata: "openaiAgents", connect }, options);
}
