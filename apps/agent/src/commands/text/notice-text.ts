import type { SessionEvent } from "palimpsest";
import type { Agent, EventOwner } from "../../agent/agent.ts";
import { summaryWayName } from "../../text/plain-names.ts";
import { usd } from "../../text/table.ts";
import { cleanText } from "../../text/visible-text.ts";
import {
  cacheText,
  command,
  count,
  duration,
  type EventOf,
  forkMissText,
  type Notice,
  news,
  plural,
  problem,
  type Surface,
  size,
  tokens,
} from "./notice.ts";

/**
 * The line that the person reads about an event. Undefined if the person already knows about the event, or can do
 * nothing about it.
 * @param owner an agent or a fork. An agent has notices only for problems, because its result reports the rest. A fork
 * has none, because its caller reports its outcome. @default the session itself
 */
export function noticeOf(event: SessionEvent, surface: Surface, owner?: EventOwner): Notice | undefined {
  const notice = sessionNotice(event, surface);
  if (owner === undefined || notice === undefined) return notice;
  // An agent has the session's settings, and the session has already reported the problem.
  if (event.kind === "settings-rejected" || event.kind === "flags-failed") return undefined;
  const isSent = owner.kind === "agent" && notice.weight === "problem";
  return isSent ? { ...notice, text: `Agent ${owner.name}: ${notice.text}` } : undefined;
}

/** The notice of a session event. It has a case for every kind of event, so a new kind does not compile without one. */
function sessionNotice(event: SessionEvent, surface: Surface): Notice | undefined {
  switch (event.kind) {
    case "turn-started":
    case "response-recorded":
      // The person already sees the message and the answer.
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
      return warmedNotice(event, surface);
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
      return news(clearedText(event));
    case "rule-failed":
      return problem(failedRuleText(event));
    case "policy-changed":
      return news(`The policy is now ${event.to} (before: ${event.from}). Changed: ${event.rules.join(", ")}.`);
    case "recalled":
      // The model's call to recall is shown like any other tool call.
      return undefined;
    case "compaction-due":
      return dueNotice(event, surface);
    case "compaction-announced":
      return news(announcementText(event, surface));
    case "compaction-started":
      // The terminal shows a progress line, and the person typed /compact.
      return surface === "terminal" || event.trigger === "manual"
        ? undefined
        : news(`Compacting the conversation (${tokens(event.tokensBefore)}).`);
    case "compaction-progressed":
      // The start of the compaction was already shown.
      return undefined;
    case "compaction-degraded":
      return problem(degradedText(event));
    case "compaction-ended":
      return compactionNotice(event, surface);
    case "summary-prepared":
      return news(preparedText(event));
    case "prepared-summary-dropped":
      return droppedNotice(event);
    case "notes-updated":
      return event.outcome === "failed"
        ? problem("Could not update the session's notes. The notes stay as they were; the next update tries again.")
        : undefined;
    case "notes-compaction-declined":
      // The engine tries another kind of summary at once, and shows its end.
      return undefined;
    case "memories-extracted":
      return extractionNotice(event, surface);
    case "memories-waiting":
      return waitingNotice(event, surface);
    case "memory-judged":
      // The person made the decision.
      return undefined;
    case "dreamed":
      return dreamNotice(event, surface);
    case "agent-changed":
      // The agent's report starts a turn, and /tasks shows its state.
      return undefined;
    case "forked":
      // The fork's caller (a compaction, the notes, an agent) reports its outcome.
      return undefined;
    case "fork-missed-cache":
      return problem(forkMissText(event));
    case "breaker-tripped":
      if (event.of === "dream")
        return problem(
          `Tidying up the memory failed ${event.failures} times in a row. The next try is in a week. To try now: ${command("dream", surface)}.`,
        );
      // The notice about the failed compaction already has the time of the next try.
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

function dueNotice(event: EventOf<"compaction-due">, surface: Surface): Notice {
  return {
    text: `The conversation has ${tokens(event.tokens)}. Compacting it saves ${tokens(event.savesTokensPerRequest)} on every request. To compact it: ${command("compact", surface)}.`,
    weight: "problem",
    once: "compaction-due",
  };
}

/** In a larger window, a compaction that saves money comes long before the window is full. People may not expect that. */
const LARGE_WINDOW_TOKENS = 300_000;

function announcementText(event: EventOf<"compaction-announced">, surface: Surface): string {
  const saved = event.savesUsdPerRequest === undefined ? "" : ` (${usd(event.savesUsdPerRequest)})`;
  const why = `Why: ${cleanText(event.because)}.`;
  const saves = `saves ${tokens(event.savesTokensPerRequest)}${saved} on every request`;
  switch (event.when) {
    case "now":
      if (event.reason === "economic" && event.windowTokens > LARGE_WINDOW_TOKENS)
        return (
          `The conversation has ${count(event.tokens)} of ${tokens(event.windowTokens)}. Compacting it already now, to about ${count(event.expectedTokens)}, ${saves}. ` +
          `${why} ` +
          `To keep more detail for longer: ${command("config", surface)} quality. To undo it: ${command("undo", surface)}.`
        );
      return (
        `The conversation has ${tokens(event.tokens)}. Compacting it to about ${count(event.expectedTokens)} ${saves}. ${why} ` +
        `To undo it: ${command("undo", surface)}. To choose when to compact: ${command("config", surface)}.`
      );
    case "after-next-message":
      return (
        `You resumed a session of ${tokens(event.tokens)}. It will be compacted after your next message, which ${saves}. ${why} ` +
        `To keep more detail: ${command("config", surface)} quality.`
      );
    case "when-full":
      return (
        `You undid a compaction, so the conversation (${tokens(event.tokens)}) stays whole until the context window is nearly full. ` +
        `To compact it anyway: ${command("compact", surface)}. That ${saves}.`
      );
  }
}

function compactionNotice({ outcome, atMs }: EventOf<"compaction-ended">, surface: Surface): Notice {
  const { retryAtMs } = outcome.kind === "compacted" ? {} : outcome;
  const next = retryAtMs === undefined ? "" : ` The next try is in ${duration(retryAtMs - atMs)}.`;
  switch (outcome.kind) {
    case "compacted": {
      const { tokensBefore, tokensAfter, summary } = outcome;
      const sizes = `${count(tokensBefore)} -> ${tokens(tokensAfter)}`;
      const undo = `To undo it: ${command("undo", surface)}.`;
      return news(`Compacted: ${sizes} (${summaryWayName(summary.way)}). ${undo}`);
    }
    case "declined":
      return problem(`Not compacted: ${DECLINED[outcome.reason] ?? outcome.reason}.${next}`);
    case "failed":
      return problem(`Compaction failed: ${FAILED[outcome.failure]}${next}`);
  }
}

function preparedText({ tokens: size, priceUsd }: EventOf<"summary-prepared">): string {
  const price = priceUsd === undefined ? "" : `, ${usd(priceUsd)}`;
  return `Prepared a summary for the next compaction (${tokens(size)}${price}), so that you need not wait for it.`;
}

function droppedNotice({ reason, because, priceUsd }: EventOf<"prepared-summary-dropped">): Notice {
  const price = priceUsd === undefined ? "" : ` (${usd(priceUsd)})`;
  if (reason === "failed" || reason === "blocked") return problem(`Could not prepare a summary${price}: ${because}.`);
  return news(`Dropped the prepared summary${price}: ${because}.`);
}

function degradedText({ summary, reason }: EventOf<"compaction-degraded">): string {
  if (summary === "none") return `The compaction has no summary: ${DEGRADED[reason]}. Details are missing.`;
  return `The summary of the compaction does not have the form that was asked for: ${DEGRADED[reason]}. It is used as it is.`;
}

const DEGRADED: Readonly<Record<EventOf<"compaction-degraded">["reason"], string>> = {
  "no-usable-summary": "the model returned nothing better",
  "provider-error": "the provider did not answer",
  "prompt-too-long": "the request was too long",
  "calls-used-up": "all calls for summaries were made",
  "function-failed": "the policy's own code failed",
};

type SummaryFailure = Extract<EventOf<"compaction-ended">["outcome"], { kind: "failed" }>["failure"];

const DECLINED: Readonly<Record<string, string>> = {
  blocked: "a hook blocked it",
  "nothing-to-compact": "the conversation has nothing that a summary could replace",
  "too-small": "the conversation is so small that a summary would save nothing",
  overtaken: "the conversation changed while the summary was written. The next request tries again",
};

const FAILED: Readonly<Record<SummaryFailure, string>> = {
  no_summary: "the model returned no usable summary. The conversation is unchanged.",
  api_error: "the provider did not answer. The conversation is unchanged.",
  prompt_too_long:
    "the parts that must stay in context are too large. Shorten the instructions, offer fewer tools, or use a model with a larger window.",
  aborted: "it was stopped. The conversation is unchanged.",
};

/** Parts of the host whose loss the user may notice. Other parts are cut in every long session. */
const HOST_PARTS: Readonly<Record<string, string>> = {
  todos: "the todo list",
  pins: "the pins",
  skills: "the skills",
  plan: "the plan",
  tools: "the announcements of tools",
  folderRules: "the instructions of folders",
};

function restoredNotice({ failed, parts }: EventOf<"files-restored">): Notice | undefined {
  const unread = failed === 0 ? [] : [`${plural(failed, "file")} could not be read`];
  const short = parts.flatMap(({ name, why, tokens: seen, fullTokens }) => {
    const what = Object.hasOwn(HOST_PARTS, name) ? HOST_PARTS[name] : undefined;
    if (what === undefined || why === undefined || seen >= fullTokens) return [];
    const many = what.endsWith("s") ? "were" : "was";
    return [seen > 0 ? `${what} ${many} cut to ${count(seen)} of ${tokens(fullTokens)}` : `${what} ${many} left out`];
  });
  const all = [...unread, ...short];
  return all.length === 0
    ? undefined
    : problem(`After the compaction, ${all.join("; ")}. The model can still read what it needs.`);
}

function extractionNotice(
  { outcome, count: saved, why = "" }: EventOf<"memories-extracted">,
  surface: Surface,
): Notice | undefined {
  switch (outcome) {
    case "extracted":
      return news(
        `Saved ${plural(saved, "memory", "memories")} from the conversation. To see the memory: ${memoryCommand("", surface)}.`,
      );
    case "nothing":
    case "own-writes":
      // The model's own writes were shown as tool calls.
      return undefined;
    case "over-budget":
      return problem(`Stopped saving memories from this session: ${why}.`);
    case "failed":
      return problem(`Could not save memories from this turn: ${why}. The next turn tries again.`);
  }
}

function waitingNotice({ count }: EventOf<"memories-waiting">, surface: Surface): Notice {
  return news(
    `${plural(count, "memory", "memories")} ${count === 1 ? "waits" : "wait"} for your yes. To review: ${memoryCommand("inbox", surface)}.`,
  );
}

function dreamNotice(
  { trigger, outcome, changed, why = "" }: EventOf<"dreamed">,
  surface: Surface,
): Notice | undefined {
  // The command that the person typed prints the outcome.
  if (trigger === "manual") return undefined;
  switch (outcome) {
    case "consolidated":
      return news(`Tidied up the memory: ${plural(changed, "change")}. To see them: ${memoryCommand("log", surface)}.`);
    case "nothing":
      // The start of the dream was shown.
      return news("Checked the memory: nothing had to change.");
    case "stopped":
      return undefined;
    case "held":
      return problem(
        `Tidying up the memory would change ${plural(changed, "topic")} and waits for your approval: ${why}. To apply the changes: ${command("dream", surface)} --yes.`,
      );
    case "failed":
      return problem(`Tidying up the memory failed: ${why}. Nothing was changed. The next try is tomorrow.`);
  }
}

function memoryCommand(word: "" | "inbox" | "log", surface: Surface): string {
  // In the terminal, `/memory` starts with waiting memories.
  if (word === "inbox" && surface === "terminal") return "/memory";
  return `${surface === "terminal" ? "/memory" : "palimpsest memory"} ${word}`.trimEnd();
}

function storedText({ tool, bytes, way }: EventOf<"result-stored">): string {
  const of = tool === undefined ? "" : ` of ${tool}`;
  const why = way === "alone" ? "too large for the context" : "the results of this round were too large together";
  return `Stored a tool result${of} (${size(bytes)}) in a file: ${why}. The model sees a preview.`;
}

function unstoredText({ bytes, error, shown }: EventOf<"storing-failed">): string {
  const seen = shown === "all" ? "all of it" : "only its beginning; the rest is lost";
  return `Could not store a tool result of ${size(bytes)} (${error}). The model sees ${seen}.`;
}

function collectedNotice({ sessions, bytes, failures, error = "" }: EventOf<"results-collected">): Notice {
  const gone =
    sessions === 0 ? "" : `Removed stored tool results of ${plural(sessions, "old session")} (${size(bytes)}). `;
  return failures === 0
    ? news(`${gone}To keep them longer, raise the setting toolResults.keptDays.`)
    : problem(
        `${gone}Could not remove old tool results of ${plural(failures, "session")} (${error}). The next start tries again.`,
      );
}

function mediaText({ media, by, why }: EventOf<"media-refused">): string {
  const who = {
    check: "It is not valid",
    provider: "The provider refused it",
    "request-size": "The request is too large",
  };
  return `Left out ${media === "image" ? "an image" : "a document"}. ${who[by]}: ${plainWords(why)}. The model sees a note in its place.`;
}

/** Extracts the message from a provider's JSON error. */
function plainWords(why: string): string {
  const [, words] = /"message":"([^"]+)"/.exec(why) ?? [];
  return words ?? why;
}

/**
 * Lists settings and extensions that could not be used, one line each. Problems of engine settings arrive as events.
 */
export function problemsOf({ settings, problems }: Agent): readonly string[] {
  const { heldBack } = settings;
  return [
    ...settings.problems,
    ...problems,
    ...(heldBack.length === 0
      ? []
      : [
          `This project is not trusted, so these settings are ignored: ${heldBack.join("; ")}. To review them: palimpsest trust`,
        ]),
  ];
}

/** Pings while a tool runs cost little and need no attention. The first ping for a person who is away says what pings cost. */
function warmedNotice(event: EventOf<"cache-warmed">, surface: Surface): Notice | undefined {
  const { activity, allPings, priceUsd, avoidsUsd } = event;
  if (activity !== "waiting" || allPings > 1) return undefined;
  const off = surface === "terminal" ? "/config keepWarm" : '"keepWarm": "off" in engine.json';
  return news(
    `Kept the prompt cache warm while you are away for ${usd(priceUsd)}; without it, your next message costs ${usd(avoidsUsd)} more. To turn it off: ${off}.`,
  );
}

function clearedText({ by, count: results, tokensFreed }: EventOf<"results-cleared">): string {
  if (by === "provider")
    return `Asked the provider to clear old tool results: about ${tokens(tokensFreed)} fewer in context.`;
  return `Cleared ${plural(results, "old tool result")}: about ${tokens(tokensFreed)} fewer in context.`;
}

function failedRuleText({ rule, where, because, paused }: EventOf<"rule-failed">): string {
  const rest = paused ? " The rule is paused until the session is opened again." : "";
  return `Rule ${rule} of the policy failed (${where}): ${because}.${rest}`;
}
