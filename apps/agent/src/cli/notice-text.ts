import type { SessionEvent } from "palimpsest";
import type { CacheBreak, Cause } from "palimpsest/core";
import type { EventOwner } from "../agent/event-owner.ts";
import { usd } from "../text/table.ts";

/** What a person is told of an event. */
export interface Notice {
  /** One line; a hook may have more to say. */
  readonly text: string;
  /** `problem`: something did not work, or costs something that nobody asked for. */
  readonly weight: "news" | "problem";
  /** Notices of the same name say the same: the first is enough. @default each is told */
  readonly once?: string;
}

/** Where the person reads it: that decides which commands a notice names. */
export type Surface = "terminal" | "command-line";

/**
 * The one line that an event has for the person; undefined where the person knows already or can do nothing with it.
 * @param owner of an agent, only what did not work is told: the rest comes back as its result. Of a fork, nothing: whoever
 * made it tells what came of it. @default the session itself
 */
export function noticeOf(event: SessionEvent, surface: Surface, owner?: EventOwner): Notice | undefined {
  const notice = sessionNotice(event, surface);
  if (owner === undefined || notice === undefined) return notice;
  // An agent reads the same settings as the session, which has told already.
  if (event.kind === "settings-rejected" || event.kind === "flags-failed") return undefined;
  const isSent = owner.kind === "agent" && notice.weight === "problem";
  return isSent ? { ...notice, text: `Agent ${owner.name}: ${notice.text}` } : undefined;
}

/** A new kind of event does not compile until it is decided here what the person reads. */
function sessionNotice(event: SessionEvent, surface: Surface): Notice | undefined {
  switch (event.kind) {
    case "turn-started":
    case "response-recorded":
      // The person spoke; the answer itself is shown.
      return undefined;
    case "answer-interrupted":
      // On the screen the line that says how the turn ended has the price.
      return event.view === "kept" && surface === "command-line" ? news(interruptedText(event)) : undefined;
    case "input-truncated":
      return problem(
        `The server read only ${tokens(event.readTokens)} of about ${count(event.sentTokens)} and did not say so: the answer is to a part of the conversation. The session now keeps within ${tokens(event.readTokens)}. Raise the server's context size for more.`,
      );
    case "model-guessed":
      return problem(
        `No context window is known for ${event.model}: ${tokens(event.windowTokens)} is a guess. Set it in settings.json: "models": { ${JSON.stringify(event.model)}: { "windowTokens": ... } }.`,
      );
    case "parameter-overridden":
      return problem(
        `Parameter ${event.parameter} is not sent as given (${short(event.given)}): ${event.sent === undefined ? "it is left out" : `${short(event.sent)} is sent`}.${event.option === undefined ? "" : ` Use the option ${event.option}.`}`,
      );
    case "cache-warmed":
      return news(
        `Kept the prompt cache warm: ${plural(event.pings, "ping")} in this pause, ${usd(event.pausePriceUsd)}.`,
      );
    case "cache-broken":
      return event.sort === "alarm" ? problem(cacheText(event)) : undefined;
    case "result-stored":
      return news(storedText(event));
    case "storing-failed":
      return problem(
        `Could not store a result of ${size(event.bytes)} (${event.error}). The model sees ${event.shown === "all" ? "all of it" : "only its beginning; the rest is lost"}.`,
      );
    case "results-collected":
      return collectedNotice(event);
    case "media-refused":
      return problem(mediaText(event));
    case "results-cleared":
      return news(`Cleared ${plural(event.count, "old tool result")}: ${tokens(event.shedTokens)} fewer in context.`);
    case "recalled":
      // The model's call of Recall is shown like any other call.
      return undefined;
    case "compaction-due":
      return {
        text: `A compaction is due (${tokens(event.tokens)}). It saves ${tokens(event.savesTokensPerRequest)} on every request. Start it with ${command("compact", surface)}.`,
        weight: "problem",
        once: "compaction-due",
      };
    case "compaction-announced":
      return news(announcementText(event, surface));
    case "compaction-started":
      // In the terminal a moving line shows it, and /compact is the person's own doing.
      return surface === "terminal" || event.trigger === "manual"
        ? undefined
        : news(`Compacting the conversation (${tokens(event.tokensBefore)}).`);
    case "compaction-progressed":
      // Half-minute steps of something that is already announced.
      return undefined;
    case "compaction-ended":
      return compactionNotice(event, surface);
    case "notes-updated":
      return event.outcome === "failed"
        ? problem("Could not update the session's notes. The notes stay as they were; the next update tries again.")
        : undefined;
    case "notes-compaction-declined":
      // Another way to a summary is taken at once, and its end is told.
      return undefined;
    case "memories-extracted":
      return extractionNotice(event, surface);
    case "memories-waiting":
      return news(
        `${plural(event.count, "memory", "memories")} ${event.count === 1 ? "waits" : "wait"} for your yes. See ${memoryCommand("inbox", surface)}.`,
      );
    case "memory-judged":
      // The person judged it.
      return undefined;
    case "dreamed":
      return dreamNotice(event, surface);
    case "forked":
      // Whoever made the call (a compaction, the notes, an agent) tells what came of it.
      return undefined;
    case "breaker-tripped":
      if (event.of === "dream")
        return problem(
          `Tidying up the memory failed ${event.failures} times in a row. It is tried again in a week; ${command("dream", surface)} tries it now.`,
        );
      // That the compaction failed, and when it is tried again, is told by its end.
      if (event.of === "economic-compaction") return undefined;
      return problem(
        `${capital(event.of)} failed ${event.failures} times in a row. The model is asked again ${whenText(event)}, or now with ${command("compact", surface)}.`,
      );
    case "settings-rejected":
      return problem(event.problems.map(({ message }) => message).join("\n"));
    case "flags-failed":
      return problem(`The flag service failed: ${event.because}. ${heldText(event.held)}`);
    case "flags-recovered":
      return news(`The flag service works again, after ${duration(event.afterMs)}.`);
    case "files-restored":
      return restoredNotice(event);
    case "hooks-ran":
      return hookNotice(event);
    case "mail-arrived":
      return news(
        `${plural(event.count, "message")} from ${event.from.join(", ")}. The model reads ${event.count === 1 ? "it" : "them"} with its next request${surface === "terminal" ? "; /continue makes one now" : ""}.`,
      );
  }
}

function whenText({ retryAtMs, atMs }: Of<"breaker-tripped">): string {
  return retryAtMs === undefined ? "later" : `in ${duration(Math.max(0, retryAtMs - atMs))}`;
}

function heldText(held: number): string {
  return held === 0
    ? "No value of it is known, so the other settings hold."
    : `Its ${plural(held, "last known value")} hold${held === 1 ? "s" : ""}.`;
}

type Of<Kind extends SessionEvent["kind"]> = Extract<SessionEvent, { readonly kind: Kind }>;

function news(text: string): Notice {
  return { text, weight: "news" };
}

function problem(text: string): Notice {
  return { text, weight: "problem" };
}

function collectedNotice({ sessions, bytes, failures, error = "" }: Of<"results-collected">): Notice {
  const gone =
    sessions === 0 ? "" : `Removed stored tool results of ${plural(sessions, "old session")} (${size(bytes)}). `;
  return failures === 0
    ? news(`${gone}Recall says that they have expired; toolResults.keptDays sets how long they are kept.`)
    : problem(
        `${gone}Could not remove old tool results of ${plural(failures, "session")} (${error}). The next start tries again.`,
      );
}

function interruptedText({ used, priceUsd, estimated, text }: Of<"answer-interrupted">): string {
  const kept = text.trim() === "" ? "The model will know of the interruption." : "The answer so far stays in context.";
  const about = estimated === undefined ? "" : "about ";
  const price = used === undefined || priceUsd === undefined ? "" : ` It cost ${about}${usd(priceUsd)}.`;
  return `Interrupted. ${kept}${price}`;
}

function restoredNotice({ failed, parts }: Of<"files-restored">): Notice | undefined {
  const unread = failed === 0 ? [] : [`${plural(failed, "file")} could not be read again`];
  const short = parts.flatMap(({ type, name, shown, tokens: seen, ofTokens }) => {
    if (type === "file" || shown === "whole") return [];
    const what = name === undefined ? `the ${type}` : `the ${type} ${name}`;
    return [shown === "cut" ? `${what} is cut to ${count(seen)} of ${tokens(ofTokens)}` : `${what} is left out`];
  });
  const all = [...unread, ...short];
  return all.length === 0 ? undefined : problem(`After the compaction, ${all.join("; ")}. The model may ask for it.`);
}

function mediaText({ media, by, why }: Of<"media-refused">): string {
  const who = {
    check: "It cannot be sent",
    provider: "The provider refused it",
    "request-size": "There is no room for it",
  };
  return `Left out ${media === "image" ? "an image" : "a document"}. ${who[by]}: ${plainWords(why)}. The model sees a note in its place.`;
}

/** What an error of a provider says, without the JSON around it. */
function plainWords(why: string): string {
  const [, words] = /"message":"([^"]+)"/.exec(why) ?? [];
  return words ?? why;
}

function storedText({ tool, bytes, way }: Of<"result-stored">): string {
  const of = tool === undefined ? "" : ` of ${tool}`;
  const why = way === "alone" ? "too large for the context" : "the results of this step were too large together";
  return `Stored a result${of} (${size(bytes)}) in a file: ${why}. The model sees a preview.`;
}

function announcementText(event: Of<"compaction-announced">, surface: Surface): string {
  const saved = event.savesUsdPerRequest === undefined ? "" : ` (${usd(event.savesUsdPerRequest)})`;
  const saves = `saves ${tokens(event.savesTokensPerRequest)}${saved} on every request`;
  switch (event.when) {
    case "now":
      return (
        `The conversation has ${tokens(event.tokens)}. Compacting it to about ${count(event.expectedTokens)} ${saves}. ` +
        `Undo it with ${command("undo", surface)}. Choose the profile that decides when with ${command("config", surface)}.`
      );
    case "after-next-message":
      return (
        `This session was resumed with ${tokens(event.tokens)}. It is compacted after your next message: that ${saves}. ` +
        `To keep more detail: ${command("config", surface)} quality.`
      );
    case "when-full":
      return (
        `You took back a compaction, so the conversation (${tokens(event.tokens)}) stays whole until the window is nearly full. ` +
        `${command("compact", surface)} ${saves}.`
      );
  }
}

function compactionNotice({ outcome, atMs }: Of<"compaction-ended">, surface: Surface): Notice {
  const { retryAtMs } = outcome.kind === "compacted" ? {} : outcome;
  const next = retryAtMs === undefined ? "" : ` The next try is in ${duration(retryAtMs - atMs)}.`;
  switch (outcome.kind) {
    case "compacted": {
      const { tokensBefore, tokensAfter, rung, withoutSummary } = outcome;
      const sizes = `${count(tokensBefore)} -> ${tokens(tokensAfter)}`;
      const undo = `Undo it with ${command("undo", surface)}.`;
      if (withoutSummary === undefined) return news(`Compacted: ${sizes} (${rung}). ${undo}`);
      return problem(
        `Compacted without a summary by the model (${WITHOUT[withoutSummary]}): ${sizes}. Details are missing. ${undo}`,
      );
    }
    case "declined":
      return problem(`Not compacted: ${DECLINED[outcome.reason] ?? outcome.reason}.${next}`);
    case "failed":
      return problem(`Compaction failed: ${FAILED[outcome.failure]}${next}`);
  }
}

/** Why no model wrote the summary. */
const WITHOUT: Readonly<Record<SummaryFailure, string>> = {
  no_summary: "no usable summary came back",
  api_error: "the provider did not answer",
  prompt_too_long: "the request was too long",
  aborted: "it was stopped",
};

type SummaryFailure = Extract<Of<"compaction-ended">["outcome"], { kind: "failed" }>["failure"];

const DECLINED: Readonly<Record<string, string>> = {
  "switched-off": "compaction is switched off (setting compaction.enabled)",
  blocked: "a hook blocked it",
  "nothing-to-compact": "there is nothing that a summary could replace",
  "too-small": "the conversation is too small for a summary to save anything",
  overtaken: "the conversation changed while the summary was written. It is tried again before the next request",
};

const FAILED: Readonly<Record<SummaryFailure, string>> = {
  no_summary: "no usable summary came back. The conversation is as it was.",
  api_error: "the provider did not answer. The conversation is as it was.",
  prompt_too_long:
    "what must stay in context is too large. Shorten the instructions, offer fewer tools, or use a model with a larger window.",
  aborted: "it was stopped. The conversation is as it was.",
};

function extractionNotice({ outcome, count: saved, why = "" }: Of<"memories-extracted">, surface: Surface) {
  switch (outcome) {
    case "extracted":
      return news(`Remembered ${plural(saved, "thing")} from the conversation. See ${memoryCommand("", surface)}.`);
    case "nothing":
    case "own-writes":
      // What the model wrote by itself was shown when it did.
      return undefined;
    case "over-budget":
      return problem(`No longer looking for memories: ${why}.`);
    case "failed":
      return problem(`Could not look for memories in this turn: ${why}. The next turn tries again.`);
  }
}

function dreamNotice({ trigger, outcome, changed, why = "" }: Of<"dreamed">, surface: Surface): Notice | undefined {
  // Whoever asked for it is shown what came of it.
  if (trigger === "manual") return undefined;
  switch (outcome) {
    case "consolidated":
      return news(`The memory was tidied up: ${plural(changed, "change")}. See ${memoryCommand("log", surface)}.`);
    case "nothing":
      // Its beginning was told.
      return news("The memory was looked through: nothing had to change.");
    case "stopped":
      return undefined;
    case "held":
      return problem(
        `Tidying up the memory would change ${plural(changed, "topic")}, so it waits for your yes: ${command("dream", surface)} --yes. Nothing was changed yet: ${why}.`,
      );
    case "failed":
      return problem(`Tidying up the memory failed: ${why}. Nothing was changed; it is tried again tomorrow.`);
  }
}

function memoryCommand(word: "" | "inbox" | "log", surface: Surface): string {
  return `${surface === "terminal" ? "/memory" : "palimpsest memory"} ${word}`.trimEnd();
}

function hookNotice({ messages, failures }: Of<"hooks-ran">): Notice | undefined {
  const lines = [...messages, ...failures.map(({ by, message }) => `Hook failed (${by}): ${message}`)];
  if (lines.length === 0) return undefined;
  return failures.length === 0 ? news(lines.join("\n")) : problem(lines.join("\n"));
}

/** Why the provider read less from its cache than it held, in plain words. */
const CACHE_CAUSES: Readonly<Record<Exclude<Cause, "pause">, string>> = {
  provider: "another provider",
  model: "another model",
  tools: "other tools",
  system: "another system prompt",
  betas: "other beta features",
  parameters: "other request parameters",
  thinking: "another thinking setting",
  effort: "another effort setting",
  "tool-choice": "another tool choice",
  images: "the first image, or the last one gone",
  boundary: "a compaction",
  rewind: "a rewind",
  restore: "an undo",
  replace: "results cleared",
  "provider-edits": "edits by the provider",
  "earlier-thinking": "earlier thinking dropped by the provider",
  "cache-ttl": "another cache lifetime",
  server: "no reason known on our side",
};

/** What the provider itself says of a cache that missed. */
export const PROVIDER_SAYS: Readonly<Record<NonNullable<CacheBreak["providerSays"]>, string>> = {
  model: "the model changed",
  tools: "the tools changed",
  system: "the system prompt changed",
  messages: "the messages changed",
  parameters: "the request's parameters changed",
  nowhere: "the prompt is the same",
  unknown: "it could not compare",
};

function cacheText({ causes, pauseMs, rebilledTokens, rebilledUsd, providerSays }: Of<"cache-broken">): string {
  const price = rebilledUsd === undefined ? "" : ` (${usd(rebilledUsd)})`;
  const said = providerSays === undefined ? "" : ` The provider says: ${PROVIDER_SAYS[providerSays]}.`;
  const paid = `${tokens(rebilledTokens)} were paid for again${price}.${said}`;
  const others = causes.flatMap((cause) => (cause === "pause" ? [] : [CACHE_CAUSES[cause]]));
  if (causes.includes("pause")) {
    const also = others.length === 0 ? "" : `; also ${others.join(", ")}`;
    return `Prompt cache expired (idle ${duration(pauseMs)}${also}). ${paid}`;
  }
  return `Prompt cache lost (${others.join(", ")}). ${paid}`;
}

function command(name: "compact" | "undo" | "dream" | "config", surface: Surface): string {
  return surface === "terminal" ? `/${name}` : `palimpsest ${name}`;
}

function tokens(amount: number): string {
  return `${count(amount)} tokens`;
}

function count(amount: number): string {
  return amount.toLocaleString("en-US");
}

function plural(amount: number, thing: string, things = `${thing}s`): string {
  return `${count(amount)} ${amount === 1 ? thing : things}`;
}

function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return `${Math.round(ms / 1_000)} s`;
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
