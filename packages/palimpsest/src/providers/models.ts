// Finds the limits, prices and behavior of a model by its id.

import type { ModelPrices } from "../log/cause.ts";

/**
 * Returns the facts about a model. The caller's facts win over the provider's answer, the answer over the table, and the
 * table over the facts of an unknown model.
 */
export function findFacts(model: string, { table, extra = {}, fetched = {}, all = {} }: FactSources): ModelFacts {
  const published = findEntry(model, table);
  return withGiven(
    model,
    { ...UNKNOWN_MODEL, ...all, ...published, ...fetched, known: sourceOf(published, fetched) },
    extra,
  );
}

/** Where the facts about a model come from, weakest first: `all`, `table`, `fetched`, `extra`. */
export interface FactSources {
  readonly table: ModelTable;
  /** @default none */
  readonly extra?: ExtraModels;
  /** Facts that the provider reported for this model. @default nothing */
  readonly fetched?: Partial<ModelFacts>;
  /** Facts of every model of the provider, also of models that are not in the table. @default nothing */
  readonly all?: Partial<ModelFacts>;
}

/** Known limits, prices and behavior of one model. */
export interface ModelFacts {
  /** Absent if unknown: the session then uses its own setting, or its fallback. */
  readonly windowTokens?: number;
  /** Source of `windowTokens`. @default "table" if `windowTokens` is set, otherwise "guessed" */
  readonly known?: WindowSource;
  /** The maximum input that the provider accepts, even if the window has room for more. @default the window */
  readonly maxInputTokens?: number;
  readonly maxOutputTokens: number;
  /** The maximum size of a request in bytes, independent of its tokens. @default unknown */
  readonly maxRequestBytes?: number;
  /** The fewest tokens that a prompt needs to be cached. A cache mark on a shorter prompt has no effect. */
  readonly minimumCacheTokens: number;
  /** How long the provider keeps a prompt in its cache, if requests cannot choose. @default the request's choice */
  readonly cacheLifetimeMs?: number;
  /** `bound`: replayed thinking is valid only after the exact conversation that produced it. */
  readonly thinking: "bound" | "free";
  /** `stripped`: the provider removes thinking from before the user's newest message. @default "kept" */
  readonly earlierThinking?: "kept" | "stripped";
  /**
   * How a request sets the amount of thinking: by a level, or by a budget of tokens. @default unknown: requests do not
   * set it
   */
  readonly effort?: "levels" | "budget" | "none";
  /** Absent if unknown: a price is never guessed. */
  readonly prices?: ModelPrices;
}

/** Source of a model's window size: our table, the provider's models endpoint, the caller, or a guess. */
export type WindowSource = "table" | "asked" | "given" | "guessed";

/** Models by the start of their ids. */
export type ModelTable = Readonly<Record<string, ModelFacts>>;

/**
 * The caller's facts by the start of model ids, even for models that no table has. They replace single facts of a
 * table.
 */
export type ExtraModels = Readonly<Record<string, Partial<ModelFacts>>>;

/**
 * Facts of an unknown model: the strictest limits of all known models, so that a request is safe for any model. Window
 * and prices are not guessed.
 */
export const UNKNOWN_MODEL: ModelFacts = {
  maxOutputTokens: 8_192,
  minimumCacheTokens: 4_096,
  thinking: "bound",
};

function sourceOf(published: Partial<ModelFacts> | undefined, fetched: Partial<ModelFacts>): WindowSource {
  if (fetched.windowTokens !== undefined) return "asked";
  return published?.windowTokens === undefined ? "guessed" : "table";
}

/** Returns the facts about a model with the caller's facts over them. */
export function withGiven(model: string, facts: ModelFacts, extra: ExtraModels): ModelFacts {
  const given = findEntry(model, extra);
  if (given === undefined) return facts;
  const { maxInputTokens, ...rest } = facts;
  if (given.windowTokens === undefined) return { ...facts, ...given };
  // A published input limit belongs to the window that was published with it.
  const limit = given.maxInputTokens ?? (maxInputTokens === undefined ? undefined : given.windowTokens);
  return { ...rest, ...given, ...(limit === undefined ? {} : { maxInputTokens: limit }), known: "given" };
}

/** Finds the longest known start of the id, with or without the host's own prefix ("vendor/", "region.vendor."). */
function findEntry<Facts>(model: string, table: Readonly<Record<string, Facts>>): Facts | undefined {
  const id = toModelId(model);
  const bare = id.replace(/^.*\//, "").replace(/^(?:[a-z-]+\.)*(?=[a-z]+-)/, "");
  for (const candidate of [id, bare]) {
    const known = Object.keys(table).filter((start) => isSnapshotOf(candidate, start));
    const longest = known.sort((left, right) => right.length - left.length)[0];
    if (longest !== undefined) return table[longest];
  }
  return undefined;
}

/** Suffixes that do not change the model: a date, "latest", a host's revision. */
const SNAPSHOT = /^(?:[-@:](?:\d{6,8}|\d{4}-\d{2}-\d{2}|latest\b|v\d).*)?$/;

function isSnapshotOf(id: string, start: string): boolean {
  return id.startsWith(start) && SNAPSHOT.test(id.slice(start.length));
}

/** Removes `[1m]`, which clients append to an id to turn on its long window; the provider does not know it. */
export function toModelId(model: string): string {
  return model.replace(/\[1m\]$/i, "");
}
