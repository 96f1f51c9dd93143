import type { ModelPrices } from "../log/prices.ts";

/** Who says how large a model's window is: our table, the provider when asked, the caller; or nobody, and it is a guess. */
export type WindowSource = "table" | "asked" | "given" | "guessed";

/** What is known of one model. */
export interface ModelFacts {
  /** Absent where nobody has said: the session then goes by what it was told otherwise, or by its fallback. */
  readonly windowTokens?: number;
  /** Where `windowTokens` is from. @default "table" if it is there, "guessed" if it is not */
  readonly known?: WindowSource;
  /** Input above this is refused, whatever room the window has. @default the window */
  readonly maxInputTokens?: number;
  readonly maxOutputTokens: number;
  /** A request with more bytes is refused, however few tokens they are. @default nobody has said */
  readonly maxRequestBytes?: number;
  /** Below this, a cache mark does nothing. */
  readonly minimumCacheTokens: number;
  /** How long a prompt is kept in the cache, where that cannot be chosen. @default what the request asks for */
  readonly cacheLifetimeMs?: number;
  /** Whether replayed thinking must stand behind the exact conversation that produced it. */
  readonly thinking: "bound" | "free";
  /** `stripped`: the provider leaves out thinking from before the user's newest words. @default "kept" */
  readonly earlierThinking?: "kept" | "stripped";
  /** Absent where nobody has said: a price is never guessed. */
  readonly prices?: ModelPrices;
}

/** Models by the start of their ids. */
export type ModelTable = Readonly<Record<string, ModelFacts>>;

/** What a caller knows better, or of models that no table has: only the facts that are given are replaced. */
export type ExtraModels = Readonly<Record<string, Partial<ModelFacts>>>;

/**
 * A model nobody has told us about: the strictest of what is true for the models we know, so that a request made for it
 * is more careful than it need be, never less. Its window and its prices are not guessed.
 */
export const UNKNOWN_MODEL: ModelFacts = {
  maxOutputTokens: 8_192,
  minimumCacheTokens: 4_096,
  thinking: "bound",
};

export interface FactSources {
  readonly table: ModelTable;
  /** @default none */
  readonly extra?: ExtraModels;
  /** What the provider itself has said of this model. @default nothing */
  readonly fetched?: Partial<ModelFacts>;
  /** What holds for all models of the provider, also for those that no table has. @default nothing */
  readonly all?: Partial<ModelFacts>;
}

/** Facts of a model: what the caller gave, over what the provider says, over the table, over what holds for unknown ones. */
export function findFacts(model: string, { table, extra = {}, fetched = {}, all = {} }: FactSources): ModelFacts {
  const published = findEntry(model, table);
  return withGiven(
    model,
    { ...UNKNOWN_MODEL, ...all, ...published, ...fetched, known: sourceOf(published, fetched) },
    extra,
  );
}

/** Facts of a model with what a caller knows better. */
export function withGiven(model: string, facts: ModelFacts, extra: ExtraModels): ModelFacts {
  const given = findEntry(model, extra);
  if (given === undefined) return facts;
  const { maxInputTokens, ...rest } = facts;
  if (given.windowTokens === undefined) return { ...facts, ...given };
  // An input limit that was published belongs to the window that was published with it.
  const limit = given.maxInputTokens ?? (maxInputTokens === undefined ? undefined : given.windowTokens);
  return { ...rest, ...given, ...(limit === undefined ? {} : { maxInputTokens: limit }), known: "given" };
}

function sourceOf(published: Partial<ModelFacts> | undefined, fetched: Partial<ModelFacts>): WindowSource {
  if (fetched.windowTokens !== undefined) return "asked";
  return published?.windowTokens === undefined ? "guessed" : "table";
}

/** The id as the provider knows it: clients write `[1m]` behind one to say that its long window is on. */
export function toModelId(model: string): string {
  return model.replace(/\[1m\]$/i, "");
}

// What may follow a known id without making it another model: a date, "latest", a revision of a host.
const SNAPSHOT = /^(?:[-@:](?:\d{6,8}|\d{4}-\d{2}-\d{2}|latest\b|v\d).*)?$/;

/** By the longest known start of the id, with or without the host's own prefix ("vendor/", "region.vendor."). */
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

function isSnapshotOf(id: string, start: string): boolean {
  return id.startsWith(start) && SNAPSHOT.test(id.slice(start.length));
}
