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

/** What a model has answered, whole, and the id of the model that was asked. */
export interface AgentsResponse extends Pick<ModelResponse, "output" | "usage" | "responseId" | "providerData"> {
  readonly model: string;
}

/** What the SDK's own calls have beside their list: a session's own calls begin with the same bytes. */
export type AgentsBinding = Pick<ModelRequest, "tools" | "handoffs" | "modelSettings">;

/** A model of the Agents SDK. */
export type AgentsModel = Model;
