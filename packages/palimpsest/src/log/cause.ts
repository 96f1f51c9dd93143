// What the log records about the prompt cache: causes of misses, differences between requests, and prices.

import type { RequestedEdits } from "./payload-compaction.ts";

/** Why a prompt was not read from the cache. `pause`: the cache had expired. `server`: the log shows no reason. */
export type Cause = ChangeCause | "pause" | "server";

/** A reason in the log why a prompt does not start with the bytes of the previous prompt. */
export type ChangeCause =
  | "provider"
  | "model"
  | "tools"
  | "system"
  | "thinking"
  | "effort"
  | "tool-choice"
  | "betas"
  /** Other fields of the provider's request. */
  | "parameters"
  /** The first image was added, or the last one removed. */
  | "images"
  /** The provider dropped the thinking from before the newest user message, as it does for some models. */
  | "earlier-thinking"
  /** The provider left out more or less of the conversation than before, or the request asked for other edits. */
  | "provider-edits"
  | "replace"
  | "boundary"
  | "restore"
  | "rewind"
  /** The request asked for another cache lifetime. */
  | "cache-ttl";

/** One difference between a request and the previous request. */
export interface PromptChange {
  readonly cause: ChangeCause;
  /** The newest entry that caused it. */
  readonly at: number;
  /** The earliest entry that is shown differently now; absent if system prompt, tools or parameters changed. */
  readonly from?: number;
  /** The names of the tools or parameters, or the reason for the decision. */
  readonly what?: readonly string[];
  /** How many cached tokens the decisions expected to invalidate; absent if they named no number. */
  readonly announcedTokens?: number;
}

/** Facts about a request that explain its cache reads later. */
export interface CacheFacts extends RequestedEdits {
  /** The `configuration` entry of the request. */
  readonly configuration: number;
  readonly images: "some" | "none";
  readonly lifetimeMs: number;
  /** The lifetime of the system prompt and the tools. @default `lifetimeMs` */
  readonly headLifetimeMs?: number;
  /** The answered request that this request was compared with; absent for the first request. */
  readonly comparedWith?: number;
  /** The differences from that request, earliest in the prompt first. @default none */
  readonly changes?: readonly PromptChange[];
  /** How many tokens at the start equal that request, as an estimate. @default all of that request */
  readonly keptTokens?: number;
  /** The prices at that time; absent if unknown. */
  readonly prices?: ModelPrices;
}

/** How the request of a fork used the cache. The log of its parent has this, because it does not have the request. */
export interface ForkUse {
  /** The tokens that a perfect cache would have read. */
  readonly perfectReadTokens: number;
  /** Why fewer tokens were read; empty if none were lost. */
  readonly causes: readonly Cause[];
  /** Present for the first request of the fork, which is compared with the newest answered request of the parent. */
  readonly first?: ForkFirstUse;
}

/** The first request of a fork, compared with the newest answered request of its parent. */
interface ForkFirstUse {
  /** The tokens that the parent's request had left in the cache; 0 if the cache had expired, or if the fork does not start with them. */
  readonly expectedTokens: number;
  /** Details of the causes: tools, parameters, and reasons for decisions. */
  readonly what: readonly string[];
  /** The time since the parent's request. */
  readonly pauseMs: number;
  /** Where the provider sees the first difference, if it says so. */
  readonly providerSays?: CacheDiagnosis["reason"];
}

/**
 * Where a request differs from the previous one, as reported by the provider. `nowhere`: no difference. `parameters`: a
 * difference that no other value names. `unknown`: the provider could not compare.
 */
export interface CacheDiagnosis {
  readonly reason: "model" | "tools" | "system" | "messages" | "parameters" | "nowhere" | "unknown";
  readonly missedTokens?: number;
}

/** What changes a provider's cached prompt, besides tools, system prompt and messages. */
export interface CacheEffects {
  /** The cause for each request field. A field that is not listed may have an effect, too. */
  readonly parameters: Readonly<Record<string, ChangeCause | "nothing">>;
  /** Whether adding the first image or removing the last one invalidates all messages. */
  readonly images: "messages" | "nothing";
  /**
   * Whether the end of the system prompt and the tools is marked, so that they are found in the cache when the messages change. `none`: a
   * service that charges for writes finds only whole earlier prompts. @default "placed"
   */
  readonly headMark?: "placed" | "none";
}

/** The prices of a model. */
export interface ModelPrices extends TokenPrices {
  /** The prices of the whole request once its input, cached or not, is larger than this. */
  readonly above?: TokenPrices & { readonly inputTokens: number };
}

/** US dollars per million tokens. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
}
