import type { ModelPrices } from "./prices.ts";
import type { AskedOfProvider } from "./provider-edits.ts";

/** What makes a prompt begin in another way than the one before it: all of it stands in the log. */
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
  /** The first image came, or the last one went. */
  | "images"
  /** The provider forgot the thinking from before the user's newest words, as it does for some models. */
  | "earlier-thinking"
  /** The provider left out more or less of the conversation than before, as it was asked to; or was asked for other edits. */
  | "provider-edits"
  | "replace"
  | "boundary"
  | "restore"
  | "rewind"
  /** Another time to live was asked for. */
  | "cache-ttl";

/** Why a prompt was not read from the cache. `pause`: it was there for too long. `server`: the log knows no reason. */
export type Cause = ChangeCause | "pause" | "server";

/** One way in which a request differs from the one before it. */
export interface PromptChange {
  readonly cause: ChangeCause;
  /** The newest entry that made it so. */
  readonly at: number;
  /** The earliest entry that is shown in another way now; absent where what stands before all messages has changed. */
  readonly from?: number;
  /** Which tools, which parameters; of a decision, its reason. */
  readonly what?: readonly string[];
  /** What decisions have announced to move, if they did. */
  readonly announcedTokens?: number;
}

/** What has to be known of a request to say later what its cache did, and why; what is asked is also rendered with it. */
export interface CacheFacts extends AskedOfProvider {
  /** The `configuration` entry that it was made with. */
  readonly configuration: number;
  readonly images: "some" | "none";
  readonly lifetimeMs: number;
  /** The answered request that it was compared with; absent for the first. */
  readonly comparedWith?: number;
  /** How it differs from that one, the change that comes earliest in the prompt first. @default none */
  readonly changes?: readonly PromptChange[];
  /** How much of that one, by estimate, it still begins with. @default all of it */
  readonly keptTokens?: number;
  /** What the model cost then; absent where nobody has said. */
  readonly prices?: ModelPrices;
}

/**
 * Where a request departs from the one before it, as the provider itself says. `nowhere`: it does not. `parameters`:
 * something else than what the other words name. `unknown`: the provider could not compare.
 */
export interface CacheDiagnosis {
  readonly reason: "model" | "tools" | "system" | "messages" | "parameters" | "nowhere" | "unknown";
  readonly missedTokens?: number;
}

/** What, beside tools, system prompt and messages, moves a provider's cached prompts. */
export interface CacheEffects {
  /** By field of the request, what its change is called. Of a field that is not named, it is not known to do nothing. */
  readonly parameters: Readonly<Record<string, ChangeCause | "nothing">>;
  /** Whether all messages are read anew when the first image comes or the last one goes. */
  readonly images: "messages" | "nothing";
}
