import { SEARCH_PROVIDERS, type SearchProvider, type SearchSetting } from "../../permissions/search-setting.ts";
import type { Environment } from "../../workspace/command-environment.ts";
import { SEARCH_APIS } from "./search-apis.ts";

/** A search service with the user's key or address. */
export interface ChosenSearch {
  readonly kind: "chosen";
  readonly provider: SearchProvider;
  /** Without a slash at its end. */
  readonly address: string;
  readonly host: string;
  readonly key: string;
}

export type SearchChoice =
  | ChosenSearch
  | { readonly kind: "none" }
  | { readonly kind: "problem"; readonly text: string };

/** Chooses the search service: the one in the settings, or the first whose variable is set. */
export function chooseSearch(setting: SearchSetting | undefined, environment: Environment): SearchChoice {
  const given = (name: SearchProvider): string | undefined => environment[SEARCH_APIS[name].variable] || undefined;
  const provider = setting?.provider ?? SEARCH_PROVIDERS.find((name) => given(name) !== undefined);
  if (provider === undefined) return { kind: "none" };
  const { title, address: usual, variable } = SEARCH_APIS[provider];
  const isOwn = usual === undefined;
  const address = setting?.url ?? usual ?? given(provider);
  const key = isOwn ? "" : (setting?.key ?? given(provider));
  if (address === undefined)
    return problem(`${title} needs the address of your server: set ${variable}, or search.url.`);
  if (key === undefined) return problem(`${title} needs a key: set ${variable}, or search.key.`);
  const url = URL.parse(address);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    return problem(`${JSON.stringify(address)} is not an address that begins with https:// or http://.`);
  if (!isOwn && url.protocol === "http:" && !LOOPBACK.test(url.hostname))
    return problem(`the key for ${title} would be sent unencrypted to ${url.host}. Use an https:// address.`);
  return { kind: "chosen", provider, address: address.replace(/\/+$/, ""), host: url.hostname, key };
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function problem(text: string): SearchChoice {
  return { kind: "problem", text: `No web search: ${text}` };
}
