import { lookup } from "node:dns/promises";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** The limits of one fetch, and the addresses that it may reach. */
export interface FetchPageOptions {
  readonly signal: AbortSignal;
  /** The time limit for all redirects together. @default 20 seconds */
  readonly timeoutMs?: number;
  /** The maximum size. Longer pages are cut. @default 2 MB */
  readonly maxBytes?: number;
  /** Resolves a name to all its addresses. @default the system's resolver */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Whether an address is allowed. @default only public addresses */
  readonly mayReach?: (address: string) => boolean;
}

/** A page of the web, or the reason why it was not fetched. */
export type FetchedPage =
  | {
      readonly kind: "page";
      /** The address after redirects. */
      readonly url: string;
      readonly status: number;
      readonly contentType: string;
      readonly body: Buffer;
      readonly rest: "cut" | "complete";
    }
  | { readonly kind: "refused"; readonly reason: string };

const MAX_REDIRECTS = 5;
const MAX_URL_CHARACTERS = 2_000;

/**
 * Fetches a page of the public internet. Resolves a name once, checks all its addresses, and connects to a checked
 * address, so a resolver that changes its answer has no effect. Checks each redirect like a new page.
 */
export async function fetchPage(address: string, options: FetchPageOptions): Promise<FetchedPage> {
  const { signal, timeoutMs = 20_000 } = options;
  const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let wanted = address;
  try {
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const page = await fetchOnce(wanted, { ...options, signal: stop });
      if (page.kind !== "redirect") return page;
      wanted = page.to;
    }
    return { kind: "refused", reason: `There were more than ${MAX_REDIRECTS} redirects, the last one to ${wanted}.` };
  } catch (error) {
    signal.throwIfAborted();
    if (stop.aborted) return { kind: "refused", reason: `${wanted} took more than ${timeoutMs / 1_000} s.` };
    return { kind: "refused", reason: `${wanted}: ${error instanceof Error ? error.message : String(error)}` };
  }
}

type Hop = FetchedPage | { readonly kind: "redirect"; readonly to: string };

async function fetchOnce(wanted: string, options: FetchPageOptions): Promise<Hop> {
  const { signal, maxBytes = 2_000_000, resolve = resolveAll, mayReach = isPublicAddress } = options;
  const refused = (reason: string): Hop => ({ kind: "refused", reason });
  if (wanted.length > MAX_URL_CHARACTERS) return refused(`The URL has more than ${MAX_URL_CHARACTERS} characters.`);
  const url = URL.parse(wanted);
  if (url === null) return refused(`${wanted} is no URL.`);
  if (url.protocol !== "http:" && url.protocol !== "https:") return refused(`Only http and https, not ${url.protocol}`);
  if (url.username !== "" || url.password !== "") return refused("The URL contains a user name or a password.");
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  const closed = addresses.find((address) => !mayReach(address));
  if (closed !== undefined) return refused(`${host} leads to ${closed}, which is no address of the public internet.`);
  const [chosen] = addresses;
  if (chosen === undefined) return refused(`${host} has no address.`);
  const response = await connect(url, chosen, signal);
  const { statusCode: status = 0, headers } = response;
  if (status >= 300 && status < 400 && headers.location !== undefined) {
    response.destroy();
    const to = URL.parse(headers.location, url.href);
    return to === null ? refused(`${wanted} leads on to what is no URL.`) : { kind: "redirect", to: to.href };
  }
  if ((headers["content-encoding"] ?? "identity") !== "identity") {
    response.destroy();
    return refused(`${wanted} answers compressed, though that was not asked for.`);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, maxBytes - bytes));
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > maxBytes) break;
  }
  return {
    kind: "page",
    url: url.href,
    status,
    contentType: headers["content-type"] ?? "",
    body: Buffer.concat(chunks),
    rest: bytes > maxBytes ? "cut" : "complete",
  };
}

function connect(url: URL, address: string, signal: AbortSignal): Promise<IncomingMessage> {
  const family = isIP(address);
  const answer: LookupFunction = (_host, { all }, emit) =>
    all === true ? emit(null, [{ address, family }]) : emit(null, address, family);
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  const headers = {
    accept: "text/html, text/*, application/json",
    "accept-encoding": "identity",
    "user-agent": "palimpsest",
  };
  return new Promise((resolve, reject) => {
    request(url, { agent: false, lookup: answer, headers, signal }).on("response", resolve).on("error", reject).end();
  });
}

async function resolveAll(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/**
 * The ranges of this machine, local networks, cloud services and reserved addresses (IANA's special-purpose
 * registries).
 */
const CLOSED_IPV4 = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
  ...["192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
  ...["224.0.0.0/4", "240.0.0.0/4"],
  // The metadata service of one cloud has a public address.
  "168.63.129.16/32",
];
/** The public IPv6 range. Mapped IPv4 addresses (::ffff:, 64:ff9b::) are outside of it. */
const OPEN_IPV6 = "2000::/3";
/**
 * The closed parts of the public range: Teredo and 6to4, which contain an IPv4 address, documentation and test
 * networks.
 */
const CLOSED_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

/** Whether an address belongs to the public internet. False for an invalid address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !listOf(CLOSED_IPV4, "ipv4").check(address, "ipv4");
  if (family !== 6 || address.includes("%")) return false;
  return listOf([OPEN_IPV6], "ipv6").check(address, "ipv6") && !listOf(CLOSED_IPV6, "ipv6").check(address, "ipv6");
}

function listOf(ranges: readonly string[], type: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [start, bits] = range.split("/");
    list.addSubnet(start!, Number(bits), type);
  }
  return list;
}
