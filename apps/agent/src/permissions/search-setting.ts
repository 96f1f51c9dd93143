import { asObject, asString, present } from "palimpsest/schema";

/** The services that WebSearch can use. */
export const SEARCH_PROVIDERS = ["brave", "tavily", "searxng"] as const;

export type SearchProvider = (typeof SEARCH_PROVIDERS)[number];

/** `search` in the user's settings. A project cannot set it: queries and the key go there. */
export interface SearchSetting {
  readonly provider: SearchProvider;
  /** @default the provider's variable */
  readonly key?: string;
  /** @default the provider's own address; for SearXNG, the variable SEARXNG_URL */
  readonly url?: string;
}

/** Reads `search`. Undefined if it does not name a provider: the check of the file has reported it. */
export function readSearch(value: unknown): SearchSetting | undefined {
  const fields = asObject(value);
  const provider = SEARCH_PROVIDERS.find((name) => name === fields?.["provider"]);
  if (fields === undefined || provider === undefined) return undefined;
  return { provider, ...present({ key: asString(fields["key"]), url: asString(fields["url"]) }) };
}
