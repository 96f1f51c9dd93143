// The JSON schema of the events of a session.
import type { SessionEvent } from "palimpsest";
import {
  anything,
  byKind,
  type FieldsOf,
  flag,
  type KindsOf,
  list,
  number,
  object,
  optional,
  type TypedSchema,
  text,
  word,
} from "./typed-schema.ts";

type UsedTokens = Extract<SessionEvent, { kind: "forked" }>["used"];

export const USED_TOKENS: FieldsOf<UsedTokens> = {
  freshTokens: number("Input tokens that were neither read from the prompt cache nor written to it."),
  cacheReadTokens: number(),
  cacheWriteTokens: number(),
  outputTokens: number(),
  reasoningTokens: optional(number("The part of outputTokens spent on reasoning.")),
};

/** The tokens of a model call. */
const usedTokens: TypedSchema<UsedTokens> = object<UsedTokens>(USED_TOKENS);

type CompactionEvent = Of<
  | "compaction-due"
  | "compaction-announced"
  | "compaction-started"
  | "compaction-progressed"
  | "compaction-ended"
  | "compaction-degraded"
  | "summary-prepared"
  | "prepared-summary-dropped"
  | "notes-updated"
  | "notes-compaction-declined"
  | "breaker-tripped"
  | "files-restored"
>;
type Shared = Pick<SessionEvent, "session" | "atMs">;
type Ended = Of<"compaction-ended">["outcome"];

const reason = word(
  ["window", "requested", "economic", "asked"],
  "window: the context window is nearly full. requested: the policy wants it at any price. economic: it saves money. asked: the user or the host asked for it.",
);
const compactionFailure = word(["no_summary", "api_error", "prompt_too_long", "aborted"]);
const summaryWay = word(
  ["prepared", "notes", "provider", "function", "fork", "direct", "in-parts", "none"],
  "fork: the model, on the cached prompt. direct: a model, from a transcript. in-parts: the same in several parts.",
);
const summaryRecord = object<Extract<Ended, { kind: "compacted" }>["summary"]>({
  way: summaryWay,
  form: text("The form that was asked for."),
  met: flag("Whether the summary has that form."),
});
const overrides = word(["restore"], "The user undid an earlier compaction of the same items.");
const retryAtMs = number("The earliest time of the next try.");

const FORECAST: FieldsOf<Omit<Of<"compaction-due">, "kind" | keyof Shared>> = {
  reason: word(["window", "requested", "economic"]),
  because: text("The reason, in words and figures."),
  tokens: number("The size of the conversation now."),
  windowTokens: number("The context window of the model."),
  expectedTokens: number("The size after the compaction."),
  savesTokensPerRequest: number(),
  savesUsdPerRequest: optional(number()),
  overrides: optional(overrides),
};

const outcome = byKind<Ended>(
  {
    compacted: {
      about: "The conversation was compacted.",
      fields: {
        summary: summaryRecord,
        tokensBefore: number(),
        tokensAfter: number(),
        used: optional(usedTokens),
        text: text("What the model sees in place of the compacted messages."),
      },
    },
    declined: {
      about: "A hook blocked the compaction, or it would not have saved anything.",
      fields: { reason: text(), why: text(), retryAtMs: optional(retryAtMs) },
    },
    failed: {
      about: "The compaction failed.",
      fields: {
        failure: compactionFailure,
        why: text(),
        retryAtMs: optional(retryAtMs),
        used: optional(usedTokens),
      },
    },
  },
  {},
);

const part = object<Of<"files-restored">["parts"][number]>({
  name: text("The name of the part."),
  items: number("Messages, files or texts that the part chose from."),
  tokens: number("In view."),
  fullTokens: number("Of all items."),
  why: optional(text("Why the part is cut or left out.")),
});

/** Events of compactions, notes and what follows a compaction. */
const COMPACTION_EVENTS: KindsOf<CompactionEvent, Shared> = {
  "compaction-due": { about: "A compaction is needed, and the settings leave it to the user.", fields: FORECAST },
  "compaction-announced": {
    about: "A compaction is announced to the user before it starts.",
    fields: { ...FORECAST, when: word(["now", "after-next-message", "when-full"]) },
  },
  "compaction-started": {
    about: "A compaction has started.",
    fields: {
      compaction: text("An id of this compaction."),
      trigger: word(["auto", "manual", "reactive"], "reactive: the provider refused a request as too long."),
      reason,
      because: text("The reason, in words and figures."),
      overrides: optional(overrides),
      tokensBefore: number(),
      earlierCompactions: number(),
      turnsSincePrevious: optional(number()),
    },
  },
  "compaction-progressed": {
    about: "A compaction makes progress.",
    fields: {
      compaction: text(),
      phase: text(),
      receivedCharacters: optional(number("The characters of the summary so far.")),
    },
  },
  "compaction-ended": {
    about: "A compaction has ended.",
    fields: { compaction: text(), reason, outcome },
  },
  "compaction-degraded": {
    about: "A compaction has no summary, or one that does not have the form that was asked for.",
    fields: {
      compaction: text(),
      summary: word(["none", "unmet"]),
      reason: word(["no-usable-summary", "provider-error", "prompt-too-long", "calls-used-up", "function-failed"]),
      because: text("The reason, in words and figures."),
      attempts: list(object<Of<"compaction-degraded">["attempts"][number]>({ way: summaryWay, why: text() })),
    },
  },
  "summary-prepared": {
    about: "A summary was written before a compaction needs it.",
    fields: {
      from: number("The first entry that it covers."),
      to: number("The last entry that it covers."),
      tokens: number("The size of the summary."),
      because: text("Why it was written now, in words and figures."),
      calls: number("Model calls for it."),
      priceUsd: optional(number()),
    },
  },
  "prepared-summary-dropped": {
    about: "A prepared summary will not be used, or could not be written.",
    fields: {
      reason: word([
        "rewound",
        "content-changed",
        "undone",
        "compacted",
        "tail-too-long",
        "policy-changed",
        "too-large",
        "blocked",
        "failed",
        "closed",
      ]),
      because: text("The reason, in words and figures."),
      priceUsd: optional(number("What its model calls cost.")),
    },
  },
  "notes-updated": {
    about: "The session's notes were updated.",
    fields: { outcome: word(["updated", "unchanged", "failed"]), tokens: number(), used: optional(usedTokens) },
  },
  "notes-compaction-declined": {
    about: "The session's notes could not be used as the summary.",
    fields: { reason: text() },
  },
  "breaker-tripped": {
    about: "A step failed several times in a row and is paused.",
    fields: {
      of: text("compaction, or economic-compaction for compactions that only save money."),
      failures: number(),
      retryAtMs: optional(number("The latest time of the next try.")),
    },
  },
  "files-restored": {
    about: "After a compaction, files, skills and the plan were shown to the model again.",
    fields: {
      putBack: number("Files."),
      skipped: number(),
      failed: number(),
      parts: list(part, "What survived the compaction."),
    },
  },
};

/** The fields that every event of a session has. */
type SharedFields = Pick<SessionEvent, "session" | "atMs">;
type Of<Kind extends SessionEvent["kind"]> = Extract<SessionEvent, { kind: Kind }>;

const causes = word([
  "provider",
  "model",
  "tools",
  "system",
  "thinking",
  "effort",
  "tool-choice",
  "betas",
  "parameters",
  "images",
  "earlier-thinking",
  "provider-edits",
  "replace",
  "boundary",
  "restore",
  "rewind",
  "cache-ttl",
  "pause",
  "server",
]);
const place = word(["model", "tools", "system", "messages", "parameters", "nowhere", "unknown"]);
const problem = object<Of<"settings-rejected">["problems"][number]>({
  source: word(["code", "environment", "flags", "file"]),
  name: text("The setting or the variable; empty for a file that cannot be read."),
  message: text("What is wrong and what to write instead."),
});
const hookFailure = object<Of<"hooks-ran">["failures"][number]>({ by: text(), kind: text(), message: text() });

type OtherEvent = Exclude<SessionEvent, { kind: keyof typeof COMPACTION_EVENTS }>;

const OTHER_EVENTS: KindsOf<OtherEvent, SharedFields> = {
  "turn-started": { about: "The first request after a new user message is about to be prepared.", fields: {} },
  "response-recorded": {
    about: "The log has a new response: of the conversation, or of a call for a summary, notes or a title.",
    fields: {
      ...USED_TOKENS,
      source: text('"main", or the name of the part that made the call.'),
      provider: text(),
      requestModel: text("The requested model."),
      model: text("The provider's name of the model."),
      responseId: text(),
      stop: text(),
      requestedAtMs: number(),
      forkExpectedTokens: optional(
        number("For the first response of a fork: the tokens that its parent had left in the prompt cache for it."),
      ),
      priceUsd: optional(number("Absent if the prices are unknown.")),
      text: text("The text of the answer."),
    },
  },
  "answer-interrupted": {
    about: "An answer was stopped before its end.",
    fields: {
      source: text(),
      provider: text(),
      requestModel: text(),
      model: text(),
      responseId: text(),
      view: word(["kept", "left-out"], "left-out: the stream broke, and the request is sent again."),
      text: text("The text so far."),
      calls: list(text(), "The tools that the answer had started to call."),
      used: optional(usedTokens),
      estimated: optional(word(["output", "all"], "The counts that are estimates.")),
      priceUsd: optional(number()),
    },
  },
  "input-truncated": {
    about: "The server silently read far less than was sent.",
    fields: { model: text(), sentTokens: number("An estimate."), readTokens: number() },
  },
  "model-guessed": {
    about: "The model's window is unknown, so the session assumes a size.",
    fields: { model: text(), windowTokens: number(), maxOutputTokens: number() },
  },
  "parameter-overridden": {
    about: "A request parameter is not sent as given, because the session sets it.",
    fields: {
      parameter: text(),
      given: anything("The value that was given."),
      sent: optional(anything("The value that is sent; absent if the field is left out.")),
      option: optional(text("The option that sets it.")),
    },
  },
  "cache-warmed": {
    about: "A ping kept the prompt in the provider's cache.",
    fields: {
      activity: text("What the session waited for."),
      pings: number("The number of pings in this pause."),
      allPings: number("The number of pings in all pauses of this sort, since the session was opened."),
      priceUsd: number(),
      avoidsUsd: number("What the next request would cost more with an expired cache."),
      pausePriceUsd: number("The price of all pings in this pause."),
    },
  },
  "cache-broken": {
    about: "The provider read less from its prompt cache than the previous request left there.",
    fields: {
      usage: number("The log entry that shows it."),
      source: text(),
      causes: list(causes, "Ordered by their place in the prompt. pause: the cache had expired."),
      what: list(text(), "The tools, parameters and reasons behind the causes."),
      sort: word(["expected", "alarm"], "expected: a decision caused it."),
      droppedTokens: number(),
      rebilledTokens: number(),
      rebilledUsd: optional(number()),
      announcedTokens: optional(number()),
      pauseMs: number(),
      providerSays: optional(place),
    },
  },
  "result-stored": {
    about: "A large result was stored in a file, and the model sees a preview.",
    fields: {
      entry: number("The log entry of the result."),
      tool: optional(text()),
      bytes: number(),
      way: word(["alone", "together"], "together: the results of one request were too large together."),
    },
  },
  "storing-failed": {
    about: "A large result could not be stored.",
    fields: {
      bytes: number(),
      error: text(),
      shown: word(["all", "beginning"], "beginning: the rest of the result is lost."),
    },
  },
  "results-collected": {
    about: "Stored results of old sessions were removed.",
    fields: { sessions: number(), bytes: number(), failures: number(), error: optional(text()) },
  },
  "media-refused": {
    about: "An image or a document is shown as a stub from now on.",
    fields: {
      entry: number(),
      media: word(["image", "document"]),
      problem: word(["unreadable", "too-large", "too-many", "unsupported", "no-media"]),
      by: word(["check", "provider", "request-size"]),
      why: text(),
    },
  },
  "results-cleared": {
    about: "Old results are shown as stubs from now on, or the provider is asked to leave them out.",
    fields: {
      rule: text("The rule of the policy that decided."),
      by: word(["session", "provider"]),
      trigger: word(["auto", "manual"]),
      count: number("The number of results. 0 if the provider reports the number later."),
      tokensFreed: number("An estimate."),
      because: text(),
    },
  },
  "rule-failed": {
    about: "A rule of the policy threw, or returned something invalid. The request went on without the rule.",
    fields: { rule: text(), where: text("The function of the rule."), because: text(), paused: flag() },
  },
  "policy-changed": {
    about: "The session was opened with another policy than the one that made its newest decision.",
    fields: { from: text(), to: text(), rules: list(text()) },
  },
  recalled: {
    about: "Stored, cleared or compacted content was recalled.",
    fields: { by: word(["entry", "search"]), outcome: text() },
  },
  "memories-extracted": {
    about: "A turn was searched for facts to remember.",
    fields: {
      outcome: word(["extracted", "nothing", "own-writes", "over-budget", "failed"]),
      count: number("Topics that were written or proposed."),
      why: optional(text()),
      used: optional(usedTokens),
    },
  },
  "memories-waiting": { about: "Proposed memories wait for the user's approval.", fields: { count: number() } },
  "memory-judged": {
    about: "The user accepted, changed or rejected a memory.",
    fields: { verdict: word(["confirmed", "corrected", "rejected"]) },
  },
  dreamed: {
    about: "The memory was tidied.",
    fields: {
      trigger: word(["auto", "manual"]),
      outcome: word(
        ["consolidated", "nothing", "held", "failed", "stopped"],
        "held: the changes wait for the user's approval.",
      ),
      changed: number("Topics."),
      why: optional(text()),
      used: optional(usedTokens),
    },
  },
  forked: {
    about: "A model call outside of the conversation has ended.",
    fields: { source: text(), outcome: word(["ok", "failed", "aborted"]), used: usedTokens },
  },
  "fork-missed-cache": {
    about: "The first request of a fork read less from the prompt cache than its parent had left there.",
    fields: {
      source: text(),
      expectedTokens: number("What the newest answered request of the parent had left in the cache."),
      readTokens: number(),
      percent: number("The share of expectedTokens that was read."),
      causes: list(causes, "Ordered by their place in the prompt. server: no known reason."),
      what: list(text(), "The tools, parameters and reasons behind the causes."),
      providerSays: optional(place),
      missedUsd: optional(number("The price of the difference; absent if the prices are unknown.")),
    },
  },
  "settings-rejected": { about: "Settings are invalid.", fields: { problems: list(problem) } },
  "flags-failed": {
    about: "The flag service does not answer. Its last values stay in effect.",
    fields: { because: text(), held: number("The number of last values that stay in effect.") },
  },
  "flags-recovered": { about: "The flag service answers again.", fields: { afterMs: number() } },
  "hooks-ran": {
    about: "Hooks ran.",
    fields: {
      event: text(),
      ran: number("How many."),
      durationMs: number(),
      blocked: optional(object<NonNullable<Of<"hooks-ran">["blocked"]>>({ reason: text(), by: text() })),
      failures: list(hookFailure),
      messages: list(text(), "For the user."),
    },
  },
  "agent-changed": {
    about: "The state of an agent, or of its plan, has changed.",
    fields: {
      agent: text("Its id."),
      name: optional(text()),
      way: word(["subagent", "background", "fork", "teammate"]),
      status: word(["running", "idle", "done", "failed", "stopped"], "`idle`: a teammate that waits for messages."),
      plan: optional(
        word(
          ["required", "asked", "approved", "refused"],
          "The state of the plan of a teammate that needs an approved plan.",
        ),
      ),
    },
  },
  "mail-arrived": {
    about: "Messages of other sessions have arrived. The model reads them with its next request.",
    fields: { count: number(), from: list(text(), "The senders.") },
  },
};

/** The schema of an event of a session. */
export const sessionEventSchema: TypedSchema<SessionEvent> = byKind<SessionEvent, SharedFields>(
  { ...OTHER_EVENTS, ...COMPACTION_EVENTS },
  { session: text("The id of the session."), atMs: number("Unix time.") },
);
