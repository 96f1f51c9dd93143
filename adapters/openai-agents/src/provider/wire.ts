// The items, requests and answers of the SDK as the log keeps them.

import type { AgentInputItem, Model, ModelRequest, ModelResponse } from "@openai/agents";
import type { JsonObject } from "palimpsest/schema";

/** The name of this wire form in logs. */
export const AGENTS = "openai-agents";

/** An item of the SDK's lists: a message, a call, a result, reasoning. */
export type AgentsItem = AgentInputItem;

/** Settings of a call that are logged with it. */
export type AgentsSettings = JsonObject;

/** A call of a model. */
export interface AgentsRequest {
  readonly model: string;
  readonly systemInstructions?: string;
  readonly input: readonly AgentsItem[];
  readonly tools: readonly object[];
  readonly settings: AgentsSettings;
  readonly maxTokens: number;
  /** Keeps requests of one session on the same cache. */
  readonly cacheKey: string;
}

/** The whole answer of a model, with the id of the model. */
export interface AgentsResponse extends Pick<ModelResponse, "output" | "usage" | "responseId" | "providerData"> {
  readonly model: string;
}

/** The tools and settings of the SDK's calls. The session's own calls use them too, to begin with the same bytes. */
export type AgentsBinding = Pick<ModelRequest, "tools" | "handoffs" | "modelSettings">;

/** A model of the Agents SDK. */
export type AgentsModel = Model;
