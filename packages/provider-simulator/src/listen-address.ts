import { createHash, timingSafeEqual } from "node:crypto";
import { isIPv6 } from "node:net";

/** Lets other machines reach the simulator. Both are needed: an open port without a token is anybody's. */
export interface BeyondLoopback {
  /** The address to listen on: `0.0.0.0` for every network of this machine. */
  readonly host: string;
  /** Clients send it as their API key. At least 16 characters. */
  readonly token: string;
}

const MINIMUM_CHARACTERS = 16;

/** The address that the server binds, and who may call it. */
export interface ListenAddress {
  readonly host: string;
  /** As it stands in a URL. */
  readonly urlHost: string;
  admits(headers: Readonly<Record<string, string | string[] | undefined>>): boolean;
}

/** Checks what beyond loopback needs. Without it: loopback, which every program of this machine may call. */
export function toListenAddress(beyond: BeyondLoopback | undefined): ListenAddress {
  if (beyond === undefined) return { host: "127.0.0.1", urlHost: "127.0.0.1", admits: () => true };
  const { host, token } = beyond;
  if (typeof host !== "string" || host.trim() === "") throw new Error("beyondLoopback.host must be an address.");
  const { length } = typeof token === "string" ? token.trim() : "";
  if (length < MINIMUM_CHARACTERS) {
    throw new Error(
      `The token for ${host} has ${length} characters; at least ${MINIMUM_CHARACTERS} are needed, because other machines ` +
        `can reach this address. Make one: openssl rand -hex 16`,
    );
  }
  const expected = digest(token.trim());
  return {
    host,
    urlHost: isIPv6(host) ? `[${host}]` : host,
    // Every header is compared: the time does not tell which one a client used.
    admits: (headers) =>
      KEY_HEADERS.map((name) => timingSafeEqual(digest(keyOf(headers[name])), expected)).includes(true),
  };
}

/** The headers in which client libraries send keys; the last is for clients that sign requests instead. */
const KEY_HEADERS = ["authorization", "x-api-key", "x-goog-api-key", "x-simulator-token"];

function keyOf(header: string | string[] | undefined): string {
  return typeof header === "string" ? header.replace(/^Bearer\s+/i, "").trim() : "";
}

/** Equal lengths, so that the comparison takes the same time for any key. */
function digest(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
