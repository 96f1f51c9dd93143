import type { SessionEvent } from "palimpsest";
import type { EventOwner } from "../agent/event-owner.ts";
import { usd } from "../text/table.ts";
import { cacheText } from "./notices/cache-text.ts";
import { announcementText, compactionNotice, dueNotice, restoredNotice } from "./notices/compaction-notice.ts";
import { dreamNotice, extractionNotice, waitingNotice } from "./notices/memory-notice.ts";
import { type EventOf, type Notice, news, problem, type Surface } from "./notices/notice.ts";
import { command, count, duration, plural, tokens } from "./notices/notice-words.ts";
import { collectedNotice, mediaText, storedText, unstoredText } from "./notices/result-notice.ts";

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
      return problem(unstoredText(event));
    case "results-collected":
      return collectedNotice(event);
    case "media-refused":
      return problem(mediaText(event));
    case "results-cleared":
      return news(`Cleared ${plural(event.count, "old tool result")}: ${tokens(event.shedTokens)} fewer in context.`);
    case "recalled":
      // The model's call of recall is shown like any other call.
      return undefined;
    case "compaction-due":
      return dueNotice(event, surface);
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
      return waitingNotice(event, surface);
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

function whenText({ retryAtMs, atMs }: EventOf<"breaker-tripped">): string {
  return retryAtMs === undefined ? "later" : `in ${duration(Math.max(0, retryAtMs - atMs))}`;
}

function heldText(held: number): string {
  return held === 0
    ? "No value of it is known, so the other settings hold."
    : `Its ${plural(held, "last known value")} hold${held === 1 ? "s" : ""}.`;
}

function interruptedText({ used, priceUsd, estimated, text }: EventOf<"answer-interrupted">): string {
  const kept = text.trim() === "" ? "The model will know of the interruption." : "The answer so far stays in context.";
  const about = estimated === undefined ? "" : "about ";
  const price = used === undefined || priceUsd === undefined ? "" : ` It cost ${about}${usd(priceUsd)}.`;
  return `Interrupted. ${kept}${price}`;
}

function hookNotice({ messages, failures }: EventOf<"hooks-ran">): Notice | undefined {
  const lines = [...messages, ...failures.map(({ by, message }) => `Hook failed (${by}): ${message}`)];
  if (lines.length === 0) return undefined;
  return failures.length === 0 ? news(lines.join("\n")) : problem(lines.join("\n"));
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
