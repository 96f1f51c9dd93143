import type { SessionEvent } from "palimpsest";
import { CACHE_CAUSES, PROVIDER_SAYS } from "palimpsest/inspect";
import { sourceName } from "../../text/plain-names.ts";
import { usd } from "../../text/table.ts";

/** A message to the person about an event. */
export interface Notice {
  /** One line. A hook's message may have more lines. */
  readonly text: string;
  /** `problem`: something failed, or caused an unexpected cost. */
  readonly weight: "news" | "problem";
  /** A name. Of several notices with the same name, only the first is shown. @default every notice is shown */
  readonly once?: string;
}

/** Where the person reads the notice, which decides the commands that the notice names. */
export type Surface = "terminal" | "command-line";

/** The event of a kind. */
export type EventOf<Kind extends SessionEvent["kind"]> = Extract<SessionEvent, { readonly kind: Kind }>;

export function news(text: string): Notice {
  return { text, weight: "news" };
}

export function problem(text: string): Notice {
  return { text, weight: "problem" };
}

/** Describes how many tokens were paid for again after a cache miss, and why. */
export function cacheText({
  causes,
  pauseMs,
  rebilledTokens,
  rebilledUsd,
  providerSays,
}: Pick<EventOf<"cache-broken">, "causes" | "pauseMs" | "rebilledTokens" | "rebilledUsd" | "providerSays">): string {
  const price = rebilledUsd === undefined ? "" : ` (${usd(rebilledUsd)})`;
  const reason = providerSays === undefined ? "" : ` The provider says that ${PROVIDER_SAYS[providerSays]}.`;
  const paid = `${tokens(rebilledTokens)} were paid for again${price}.${reason}`;
  const others = causes.flatMap((cause) => (cause === "pause" ? [] : [CACHE_CAUSES[cause]]));
  if (causes.includes("pause")) {
    const also = others.length === 0 ? "" : `; also ${others.join(", ")}`;
    return `Prompt cache expired (idle ${duration(pauseMs)}${also}). ${paid}`;
  }
  return `Prompt cache lost (${others.join(", ")}). ${paid}`;
}

/** Describes a fork that did not read what the conversation had left in the cache. */
export function forkMissText(event: EventOf<"fork-missed-cache">): string {
  const { source, expectedTokens, readTokens, percent, causes, what, providerSays, missedUsd } = event;
  const details = what.length === 0 ? "" : `: ${what.join("; ")}`;
  const why = `${causes.map((cause) => CACHE_CAUSES[cause]).join(", ")}${details}`;
  const reason = providerSays === undefined ? "" : ` The provider says that ${PROVIDER_SAYS[providerSays]}.`;
  const price = missedUsd === undefined ? "" : ` That cost ${usd(missedUsd)} more.`;
  const read = `${count(readTokens)} of ${tokens(expectedTokens)} (${percent}%) were read from the cache of the conversation`;
  return `Prompt cache missed by ${sourceName(source)} (${why}): ${read}.${price}${reason}`;
}

/** A command as the person types it on this surface. */
export function command(name: keyof typeof COMMAND_WORDS, surface: Surface): string {
  return surface === "terminal" ? `/${name}` : `palimpsest ${COMMAND_WORDS[name]}`;
}

/** The command line's words for slash commands. */
const COMMAND_WORDS = {
  compact: "sessions compact",
  undo: "sessions undo",
  dream: "memory dream",
  config: "config",
} as const;

export function tokens(amount: number): string {
  return `${count(amount)} tokens`;
}

export function count(amount: number): string {
  return amount.toLocaleString("en-US");
}

export function plural(amount: number, thing: string, things = `${thing}s`): string {
  return `${count(amount)} ${amount === 1 ? thing : things}`;
}

export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return `${Math.round(ms / 1_000)} s`;
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
