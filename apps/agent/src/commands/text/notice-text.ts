import type { SessionEvent } from "palimpsest";
import type { EventOwner } from "../../agent/event-owner.ts";
import { cacheText } from "../../cli/notices/cache-text.ts";
import { announcementText, compactionNotice, dueNotice, restoredNotice } from "../../cli/notices/compaction-notice.ts";
import { dreamNotice, extractionNotice, waitingNotice } from "../../cli/notices/memory-notice.ts";
import { command, count, duration, plural, tokens } from "../../cli/notices/notice-words.ts";
import { collectedNotice, mediaText, storedText, unstoredText } from "../../cli/notices/result-notice.ts";
import { usd } from "../../text/table.ts";
import { type EventOf, type Notice, news, problem, type Surface } from "./notice.ts";

/**
 * The line that the person reads about an event. Undefined if the person knows already, or can do nothing about it.
 * @param owner for an agent, only problems are shown, since the agent reports the rest in its result. For a fork nothing is
 * shown, since the caller of the fork reports its outcome. @default the session itself
 */
export function noticeOf(event: SessionEvent, surface: Surface, owner?: EventOwner): Notice | undefined {
  const notice = sessionNotice(event, surface);
  if (owner === undefined || notice === undefined) return notice;
  // An agent reads the same settings as the session, and the session has reported the problem already.
  if (event.kind === "settings-rejected" || event.kind === "flags-failed") return undefined;
  const isSent = owner.kind === "agent" && notice.weight === "problem";
  return isSent ? { ...notice, text: `Agent ${owner.name}: ${notice.text}` } : undefined;
}

/** Has a case for every kind of event: a new kind does not compile until its text is decided here. */
function sessionNotice(event: SessionEvent, surface: Surface): Notice | undefined {
  switch (event.kind) {
    case "turn-started":
    case "response-recorded":
      // The person sees the message and the answer themselves.
      return undefined;
    case "answer-interrupted":
      // On the screen, the line about the end of the turn has the price.
      return event.view === "kept" && surface === "command-line" ? news(interruptedText(event)) : undefined;
    case "input-truncated":
      return problem(
        `The server read only ${tokens(event.readTokens)} of about ${count(event.sentTokens)}, without an error: its answer ignores the rest of the conversation. From now on the session uses at most ${tokens(event.readTokens)}. To use more, raise the server's context size.`,
      );
    case "model-guessed":
      return problem(
        `The context window of ${event.model} is unknown; assuming ${tokens(event.windowTokens)}. Set the real size in settings.json: "models": { ${JSON.stringify(event.model)}: { "windowTokens": ... } }.`,
      );
    case "parameter-overridden":
      return problem(
        `Request parameter ${event.parameter} (${short(event.given)}) was ${event.sent === undefined ? "left out" : `replaced with ${short(event.sent)}`}: the session controls it.${event.option === undefined ? "" : ` Set it with the option ${event.option}.`}`,
      );
    case "cache-warmed":
      return news(
        `Kept the prompt cache warm while you were idle: ${plural(event.pings, "request")}, ${usd(event.pausePriceUsd)}.`,
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
      // The model's call of recall is shown like any other tool call.
      return undefined;
    case "compaction-due":
      return dueNotice(event, surface);
    case "compaction-announced":
      return news(announcementText(event, surface));
    case "compaction-started":
      // The terminal shows a moving line, and /compact was typed by the person.
      return surface === "terminal" || event.trigger === "manual"
        ? undefined
        : news(`Compacting the conversation (${tokens(event.tokensBefore)}).`);
    case "compaction-progressed":
      // The start of the compaction has been shown already.
      return undefined;
    case "compaction-ended":
      return compactionNotice(event, surface);
    case "notes-updated":
      return event.outcome === "failed"
        ? problem("Could not update the session's notes. The notes stay as they were; the next update tries again.")
        : undefined;
    case "notes-compaction-declined":
      // Another kind of summary is tried at once, and its end is shown.
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
    case "agent-changed":
      // Its report starts a turn, and /tasks shows its state.
      return undefined;
    case "forked":
      // The caller of the fork (a compaction, the notes, an agent) reports its outcome.
      return undefined;
    case "breaker-tripped":
      if (event.of === "dream")
        return problem(
          `Tidying up the memory failed ${event.failures} times in a row. The next try is in a week. To try now: ${command("dream", surface)}.`,
        );
      // The notice about the failed compaction already names the time of the next try.
      if (event.of === "economic-compaction") return undefined;
      return problem(
        `${capital(event.of)} failed ${event.failures} times in a row. The next try is ${whenText(event)}. To try now: ${command("compact", surface)}.`,
      );
    case "settings-rejected":
      return problem(event.problems.map(({ message }) => message).join("\n"));
    case "flags-failed":
      return problem(`The feature flag service failed: ${event.because}. ${heldText(event.held)}`);
    case "flags-recovered":
      return news(`The feature flag service works again, after ${duration(event.afterMs)}.`);
    case "files-restored":
      return restoredNotice(event);
    case "hooks-ran":
      return hookNotice(event);
    case "mail-arrived":
      return news(
        `${plural(event.count, "message")} from ${event.from.join(", ")}. The model reads ${event.count === 1 ? "it" : "them"} with its next request${surface === "terminal" ? ". To send one now: /continue" : ""}.`,
      );
  }
}

function whenText({ retryAtMs, atMs }: EventOf<"breaker-tripped">): string {
  return retryAtMs === undefined ? "later" : `in ${duration(Math.max(0, retryAtMs - atMs))}`;
}

function heldText(held: number): string {
  return held === 0
    ? "No flag value is known, so your other settings apply."
    : `The ${plural(held, "last known flag value")} still ${held === 1 ? "applies" : "apply"}.`;
}

function interruptedText({ used, priceUsd, estimated, text }: EventOf<"answer-interrupted">): string {
  const kept = text.trim() === "" ? "The model is told that you interrupted." : "The answer so far stays in context.";
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
