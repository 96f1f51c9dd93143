import type { Clock } from "../clock.ts";
import type { ModelFacts, WindowSource } from "../providers/models.ts";
import type { Provider } from "../providers/provider.ts";
import { SETTINGS } from "../settings/definitions.ts";
import type { Settings } from "../settings/settings.ts";
import { type Budget, budgetOf, windowOf } from "../size/budget.ts";
import { headOf } from "../text.ts";
import type { FlattenRules } from "../view/flatten.ts";
import type { ToolSearch } from "../view/tool-search.ts";
import type { Configuration } from "../view/view.ts";
import type { SessionOptions } from "./options.ts";

/** What follows from a configuration for every request that is made with it. */
export interface RequestLimits {
  readonly rules: FlattenRules;
  readonly budget: Budget;
  /** Who says how large the window is. */
  readonly known: WindowSource;
  readonly facts: ModelFacts;
}

interface LimitSources {
  readonly settings: Settings;
  /** The smallest limit that the provider has named in a refusal, if it has. */
  readonly limitTokens: number | undefined;
  /** How deferred tools come into the conversation with this model. */
  readonly toolSearch: ToolSearch;
}

export function termsOf(
  { provider, model, parameters }: Configuration,
  facts: ModelFacts,
  { settings, limitTokens = Number.POSITIVE_INFINITY, toolSearch }: LimitSources,
): RequestLimits {
  const betas = Array.isArray(parameters["betas"])
    ? parameters["betas"].filter((beta) => typeof beta === "string")
    : [];
  const window = windowOfModel(model, facts, { settings, betas });
  const isOn = settings["compaction.enabled"] === "on" && settings["compaction.auto"] !== "off";
  return {
    rules: { provider, thinking: facts.thinking, toolSearch },
    facts,
    known: limitTokens < window.tokens ? "asked" : window.known,
    budget: budgetOf({
      windowTokens: Math.min(window.tokens, limitTokens),
      autoCompaction: isOn ? "on" : "off",
      autoCompactPercent: settings["compaction.autoPercent"],
    }),
  };
}

/** How much input a model takes, and who says so. */
export function windowOfModel(
  model: string,
  { windowTokens, maxInputTokens, known = "table" }: ModelFacts,
  { settings, betas = [] }: { readonly settings: Settings; readonly betas?: readonly string[] },
): { readonly tokens: number; readonly known: WindowSource } {
  const fallbackTokens = settings["window.tokens"];
  const { tokens, from } = windowOf({ model, windowTokens, maxInputTokens, betas, fallbackTokens });
  if (from === "capability") return { tokens, known };
  const isSet = from === "caller" || fallbackTokens !== SETTINGS["window.tokens"].default;
  return { tokens, known: isSet ? "given" : "guessed" };
}

/** How an answer is sent for: clients refuse to wait for a long one without a stream. */
export type AnswerWay = "streamed" | "whole";

/** The reserve that every budget keeps free; as much as client libraries allow to ask for without a stream. */
const LEAST_OUTPUT_TOKENS = 20_000;
/** Longer answers are rare, and some services count the limit against a quota when the request comes in. */
const MAX_OUTPUT_TOKENS = 32_000;

/**
 * How long an answer may be where the caller has not said: as long as the model can write, but no more than 20,000 tokens
 * without a stream; with one, no more than 32,000, nor more than a quarter of a window in which that is less.
 */
export function defaultOutputTokens({ facts, budget }: RequestLimits, way: AnswerWay): number {
  const share = Math.floor(budget.windowTokens / 4);
  const most = Math.min(MAX_OUTPUT_TOKENS, Math.max(LEAST_OUTPUT_TOKENS, share));
  return Math.min(facts.maxOutputTokens, way === "streamed" ? most : LEAST_OUTPUT_TOKENS);
}

/** A text has a third as many tokens as characters mostly, and rarely as many: this is a twelfth of the window, and a quarter at most. */
const CHARACTERS_PER_WINDOW_TOKEN = 0.25;

interface RoomyText {
  readonly text: string;
  /** What is told if it is not all of it. */
  readonly cut?: string;
}

/** Words of hooks and instructions come again with every compaction. The part of them that leaves room for the conversation. */
export function leaveRoom(text: string, windowTokens: number): RoomyText {
  const shown = headOf(text, Math.floor(windowTokens * CHARACTERS_PER_WINDOW_TOKEN));
  if (shown.length === text.length) return { text };
  const cut = `This text has ${text.length} characters. In a window of ${windowTokens} tokens the model reads the first ${shown.length}.`;
  return { text: `${shown}\n\n[${cut}]`, cut };
}

interface KnownFactsOptions {
  readonly from: SessionOptions["modelFacts"] | undefined;
  readonly clock: Required<Clock>;
}

/** A session waits this long for a server that does not answer. */
const PATIENCE_MS = 5_000;

/** The facts that a session knows about models: from the table, or from the provider if it was asked. */
export class KnownFacts {
  readonly #provider: Pick<Provider, "factsOf" | "fetchFacts">;
  readonly #from: "if-unknown" | "asked" | "table";
  readonly #clock: Required<Clock>;
  readonly #asked = new Map<string, ModelFacts>();

  constructor(provider: Pick<Provider, "factsOf" | "fetchFacts">, { from = "if-unknown", clock }: KnownFactsOptions) {
    this.#provider = provider;
    this.#from = from;
    this.#clock = clock;
  }

  of(model: string): ModelFacts {
    return this.#asked.get(model) ?? this.#provider.factsOf(model);
  }

  /** Asks the provider for the limits of a model once, if the options say so. */
  async learn(model: string): Promise<void> {
    if (this.#asked.has(model) || this.#from === "table") return;
    if (this.#from === "if-unknown" && this.#provider.factsOf(model).windowTokens !== undefined) return;
    const facts = await askInTime(this.#provider, model, this.#clock);
    if (facts !== undefined) this.#asked.set(model, facts);
  }
}

/** What the provider says of a model; undefined if it says nothing in time. */
async function askInTime(
  provider: Pick<Provider, "fetchFacts">,
  model: string,
  clock: Required<Clock>,
): Promise<ModelFacts | undefined> {
  const over = new AbortController();
  const waited = clock.wait(PATIENCE_MS, over.signal).then(() => undefined);
  try {
    return await Promise.race([provider.fetchFacts(model), waited]);
  } finally {
    over.abort();
  }
}
