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
  /** Facts of models by the start of their ids, for models that are in no table. @default {} */
  readonly models?: ExtraModels;
}

/** What a call brings that is no part of a prompt: the model, and the agent's own tools and settings. */
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
