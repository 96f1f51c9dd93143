import { asList, asObject, asString, type JsonObject } from "palimpsest/schema";
import type { SearchProvider } from "../../permissions/search-setting.ts";

/** A page that a search found. Everything in it was written by others. */
export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly excerpt: string;
}

/** One search, as an HTTP request. */
export interface SearchRequest {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface SearchApi {
  readonly title: string;
  /** Undefined: everybody has their own server. */
  readonly address?: string;
  /** The variable with the key, or with the address of the user's own server. */
  readonly variable: string;
  readonly toRequest: (query: string, address: string, key: string) => SearchRequest;
  readonly toResults: (reply: JsonObject) => readonly SearchResult[];
  /** `html`: titles and excerpts have tags and entities. */
  readonly texts: "html" | "plain";
  /** What a refusal with status 403 means, beside a wrong key. */
  readonly onForbidden?: string;
}

export const MAX_RESULTS = 10;

/** The search services: how each is asked, and where its results are. */
export const SEARCH_APIS: Readonly<Record<SearchProvider, SearchApi>> = {
  brave: {
    title: "Brave",
    address: "https://api.search.brave.com",
    variable: "BRAVE_API_KEY",
    texts: "html",
    toRequest: (query, address, key) => ({
      url: withQuery(`${address}/res/v1/web/search`, { q: query, count: String(MAX_RESULTS) }),
      method: "GET",
      headers: { accept: "application/json", "x-subscription-token": key },
    }),
    toResults: (reply) => resultsIn(asObject(reply["web"])?.["results"], "description"),
  },
  tavily: {
    title: "Tavily",
    address: "https://api.tavily.com",
    variable: "TAVILY_API_KEY",
    texts: "plain",
    toRequest: (query, address, key) => ({
      url: new URL(`${address}/search`),
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ query, max_results: MAX_RESULTS }),
    }),
    toResults: (reply) => resultsIn(reply["results"], "content"),
  },
  searxng: {
    title: "SearXNG",
    variable: "SEARXNG_URL",
    texts: "plain",
    toRequest: (query, address) => ({
      url: withQuery(`${address}/search`, { q: query, format: "json" }),
      method: "GET",
      headers: { accept: "application/json" },
    }),
    toResults: (reply) => resultsIn(reply["results"], "content"),
    onForbidden: "The server may not allow JSON: its settings.yml needs json in search.formats.",
  },
};

function withQuery(address: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

function resultsIn(list: unknown, excerpt: string): readonly SearchResult[] {
  return (asList(list) ?? []).flatMap((item) => {
    const fields = asObject(item);
    const url = URL.parse(asString(fields?.["url"]) ?? "");
    if (fields === undefined || (url?.protocol !== "https:" && url?.protocol !== "http:")) return [];
    return [{ title: asString(fields["title"]) ?? "", url: url.href, excerpt: asString(fields[excerpt]) ?? "" }];
  });
}
