// The limits of requests: the window, the budget and the longest answer, by model and settings.

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

/** The reserve that every budget keeps free. Client libraries allow answers up to this length without a stream. */
const MAX_UNSTREAMED_TOKENS = 20_000;
/**
 * The longest streamed answer. Longer answers are rare, and some services count the limit against a quota when they
 * receive the request.
 */
const MAX_OUTPUT_TOKENS = 32_000;
/**
 * The maximum length of a text. Most texts have a third as many tokens as characters, so this is usually a twelfth of
 * the window, and at most a quarter.
 */
const CHARACTERS_PER_WINDOW_TOKEN = 0.25;
/** The time after which a session stops waiting for a models endpoint. */
const FETCH_TIMEOUT_MS = 5_000;

/** The rules and limits for all requests with a configuration. */
export interface RequestLimits {
  readonly rules: FlattenRules;
  readonly budget: Budget;
  /** The source of the window's size. */
  readonly known: WindowSource;
  readonly facts: ModelFacts;
}

interface LimitSources {
  readonly settings: Settings;
  /** The smallest limit that the provider has named in a refusal. */
  readonly limitTokens: number | undefined;
  /** How the conversation loads deferred tools with this model. */
  readonly toolSearch: ToolSearch;
}

export function limitsOf(
  { provider, model, parameters }: Configuration,
  facts: ModelFacts,
  { settings, limitTokens = Number.POSITIVE_INFINITY, toolSearch }: LimitSources,
): RequestLimits {
  const betas = Array.isArray(parameters["betas"])
    ? parameters["betas"].filter((beta) => typeof beta === "string")
    : [];
  const window = windowOfModel(model, facts, { settings, betas });
  return {
    rules: { provider, thinking: facts.thinking, toolSearch },
    facts,
    known: limitTokens < window.tokens ? "asked" : window.known,
    budget: budgetOf({
      windowTokens: Math.min(window.tokens, limitTokens),
      autoCompaction: settings.compaction === "off" ? "off" : "on",
    }),
  };
}

/** Returns the size of a model's input window and the source of this size. */
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

/** How an answer is received. Clients refuse to wait for a long answer without a stream. */
export type AnswerWay = "streamed" | "whole";

/**
 * Returns the maximum length of an answer if the caller sets none: the model's maximum, up to 20,000 tokens without a
 * stream and 32,000 with one. With a stream, small windows allow a quarter of the window, but at least 20,000 tokens.
 */
export function defaultOutputTokens({ facts, budget }: RequestLimits, way: AnswerWay): number {
  const share = Math.floor(budget.windowTokens / 4);
  const streamed = Math.min(MAX_OUTPUT_TOKENS, Math.max(MAX_UNSTREAMED_TOKENS, share));
  return Math.min(facts.maxOutputTokens, way === "streamed" ? streamed : MAX_UNSTREAMED_TOKENS);
}

interface RoomyText {
  readonly text: string;
  /** The notice about the cut, if the text was cut. */
  readonly cut?: string;
}

/**
 * Cuts a text of hooks or instructions so that it leaves room for the conversation, because it is shown again after
 * every compaction.
 */
export function leaveRoom(text: string, windowTokens: number): RoomyText {
  const shown = headOf(text, Math.floor(windowTokens * CHARACTERS_PER_WINDOW_TOKEN));
  if (shown.length === text.length) return { text };
  const cut = `This text has ${text.length} characters. In a window of ${windowTokens} tokens the model reads the first ${shown.length}.`;
  return { text: `${shown}\n\n[${cut}]`, cut };
}

interface ModelFactsReaderOptions {
  readonly from: SessionOptions["modelFacts"] | undefined;
  readonly clock: Required<Clock>;
}

/** Looks up the facts about models: in the table, or at the provider. */
export class ModelFactsReader {
  readonly #provider: Pick<Provider, "factsOf" | "fetchFacts">;
  readonly #from: "if-unknown" | "asked" | "table";
  readonly #clock: Required<Clock>;
  readonly #fetched = new Map<string, ModelFacts>();

  constructor(
    provider: Pick<Provider, "factsOf" | "fetchFacts">,
    { from = "if-unknown", clock }: ModelFactsReaderOptions,
  ) {
    this.#provider = provider;
    this.#from = from;
    this.#clock = clock;
  }

  of(model: string): ModelFacts {
    return this.#fetched.get(model) ?? this.#provider.factsOf(model);
  }

  /** Asks the provider for the limits of a model once, if the options say so. */
  async learn(model: string): Promise<void> {
    if (this.#fetched.has(model) || this.#from === "table") return;
    if (this.#from === "if-unknown" && this.#provider.factsOf(model).windowTokens !== undefined) return;
    const facts = await fetchInTime(this.#provider, model, this.#clock);
    if (facts !== undefined) this.#fetched.set(model, facts);
  }
}

/** Asks the provider about a model. Undefined without an answer in time. */
async function fetchInTime(
  provider: Pick<Provider, "fetchFacts">,
  model: string,
  clock: Required<Clock>,
): Promise<ModelFacts | undefined> {
  const over = new AbortController();
  const waited = clock.wait(FETCH_TIMEOUT_MS, over.signal).then(() => undefined);
  try {
    return await Promise.race([provider.fetchFacts(model), waited]);
  } finally {
    over.abort();
  }
}
