import type { NewEvent, SessionEvent } from "palimpsest";
import { describe, expect, it } from "vitest";
import { noticeOf } from "./notice-text.ts";

const used = { freshTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
const cacheBreak = {
  kind: "cache-broken",
  usage: 9,
  source: "main",
  what: [],
  droppedTokens: 50_000,
  rebilledTokens: 48_000,
  rebilledUsd: 0.24,
  pauseMs: 430_000,
} as const;
const compaction = "s:1";

/** Events, and the line that a person reads on the command line. */
const PING = { kind: "cache-warmed", pings: 1, priceUsd: 0.01, avoidsUsd: 0.12, pausePriceUsd: 0.01 } as const;
const LINES: readonly (readonly [NewEvent, string])[] = [
  [
    { ...cacheBreak, causes: ["pause"], sort: "alarm" },
    "Prompt cache expired (idle 7 min). 48,000 tokens were paid for again ($0.2400).",
  ],
  [
    { ...cacheBreak, causes: ["tools", "server"], sort: "alarm" },
    "Prompt cache lost (other tools, no known reason). 48,000 tokens were paid for again ($0.2400).",
  ],
  [
    {
      kind: "fork-missed-cache",
      source: "compact",
      expectedTokens: 29_855,
      readTokens: 0,
      percent: 0,
      causes: ["server"],
      what: [],
      providerSays: "tools",
      missedUsd: 0.0732,
    },
    "Prompt cache missed by compaction (no known reason): 0 of 29,855 tokens (0%) were read from the cache of the conversation. That cost $0.0732 more. The provider says that the tools changed.",
  ],
  [
    {
      kind: "answer-interrupted",
      source: "main",
      provider: "p",
      requestModel: "m",
      model: "m",
      responseId: "r",
      view: "kept",
      text: "So far",
      calls: [],
      used,
      estimated: "output",
      priceUsd: 0.0123,
    },
    "Interrupted. The answer so far stays in context. It cost about $0.0123.",
  ],
  [
    { kind: "input-truncated", model: "llama", sentTokens: 12_400, readTokens: 4_051 },
    "The server read only 4,051 tokens of about 12,400, without an error: its answer ignores the rest of the conversation. From now on the session uses at most 4,051 tokens. To use more, raise the server's context size.",
  ],
  [
    { kind: "model-guessed", model: "llama", windowTokens: 200_000, maxOutputTokens: 8_192 },
    'The context window of llama is unknown; assuming 200,000 tokens. Set the real size in settings.json: "models": { "llama": { "windowTokens": ... } }.',
  ],
  [
    { kind: "parameter-overridden", parameter: "max_tokens", given: 500, sent: 20_000, option: "maxOutputTokens" },
    "Request parameter max_tokens (500) was replaced with 20000: the session controls it. Set it with the option maxOutputTokens.",
  ],
  [
    { ...PING, activity: "waiting", allPings: 1 },
    'Kept the prompt cache warm while you are away for $0.0100; without it, your next message costs $0.1200 more. To turn it off: "keepWarm": "off" in engine.json.',
  ],
  [
    { kind: "result-stored", entry: 4, tool: "Bash", bytes: 84_210, way: "alone" },
    "Stored a tool result of Bash (84 KB) in a file: too large for the context. The model sees a preview.",
  ],
  [
    { kind: "storing-failed", bytes: 84_210, error: "ENOSPC: no space left on device", shown: "beginning" },
    "Could not store a tool result of 84 KB (ENOSPC: no space left on device). The model sees only its beginning; the rest is lost.",
  ],
  [
    { kind: "storing-failed", bytes: 84_210, error: "ENOSPC: no space left on device", shown: "all" },
    "Could not store a tool result of 84 KB (ENOSPC: no space left on device). The model sees all of it.",
  ],
  [
    { kind: "results-collected", sessions: 1, bytes: 84_210, failures: 0 },
    "Removed stored tool results of 1 old session (84 KB). To keep them longer, raise the setting toolResults.keptDays.",
  ],
  [
    { kind: "results-collected", sessions: 0, bytes: 0, failures: 2, error: "EACCES: permission denied" },
    "Could not remove old tool results of 2 sessions (EACCES: permission denied). The next start tries again.",
  ],
  [
    {
      kind: "results-cleared",
      rule: "when-cold",
      by: "session",
      trigger: "auto",
      count: 12,
      tokensFreed: 34_000,
      because: "the prompt cache expired, after 62 minutes without a request; 12 results",
    },
    "Cleared 12 old tool results: about 34,000 tokens fewer in context.",
  ],
  [
    {
      kind: "results-cleared",
      rule: "by-provider",
      by: "provider",
      trigger: "auto",
      count: 0,
      tokensFreed: 34_000,
      because: "above 100,000 tokens",
    },
    "Asked the provider to clear old tool results: about 34,000 tokens fewer in context.",
  ],
  [
    { kind: "rule-failed", rule: "mine", where: "propose", because: "x is undefined", paused: true },
    "Rule mine of the policy failed (propose): x is undefined. The rule is paused until the session is opened again.",
  ],
  [
    { kind: "policy-changed", from: "coding, balanced", to: "classic", rules: ["clear when-cold", "when window"] },
    "The policy is now classic (before: coding, balanced). Changed: clear when-cold, when window.",
  ],
  [
    {
      kind: "compaction-started",
      compaction,
      trigger: "auto",
      reason: "window",
      because: "window makes room",
      tokensBefore: 120_000,
      earlierCompactions: 0,
    },
    "Compacting the conversation (120,000 tokens).",
  ],
  [
    {
      kind: "compaction-ended",
      compaction,
      reason: "window",
      outcome: {
        kind: "compacted",
        summary: { way: "fork", form: "coding", met: true },
        tokensBefore: 120_000,
        tokensAfter: 21_000,
        text: "",
      },
    },
    "Compacted: 120,000 -> 21,000 tokens (summary by the model). To undo it: palimpsest sessions undo.",
  ],
  [
    {
      kind: "compaction-degraded",
      compaction,
      summary: "none",
      reason: "provider-error",
      because: "fork: overloaded",
      attempts: [{ way: "fork", why: "overloaded" }],
    },
    "The compaction has no summary: the provider did not answer. Details are missing.",
  ],
  [
    {
      ...{ kind: "summary-prepared", from: 2, to: 90, tokens: 3_100, calls: 1, priceUsd: 0.05 },
      because: "95,000 tokens, and a compaction follows at 100,000",
    },
    "Prepared a summary for the next compaction (3,100 tokens, $0.0500), so that you need not wait for it.",
  ],
  [
    {
      kind: "prepared-summary-dropped",
      reason: "rewound",
      because: "the session went back to entry 12",
      priceUsd: 0.05,
    },
    "Dropped the prepared summary ($0.0500): the session went back to entry 12.",
  ],
  [
    { kind: "prepared-summary-dropped", reason: "blocked", because: "a hook blocked it: not today" },
    "Could not prepare a summary: a hook blocked it: not today.",
  ],
  [
    {
      kind: "compaction-degraded",
      compaction,
      summary: "unmet",
      reason: "no-usable-summary",
      because: "fork: still asked for",
      attempts: [],
    },
    "The summary of the compaction does not have the form that was asked for: the model returned nothing better. It is used as it is.",
  ],
  [
    {
      kind: "compaction-ended",
      compaction,
      reason: "window",
      outcome: { kind: "declined", reason: "blocked", why: "a hook" },
    },
    "Not compacted: a hook blocked it.",
  ],
  [
    {
      kind: "compaction-ended",
      compaction,
      reason: "economic",
      outcome: { kind: "failed", failure: "api_error", why: "overloaded", retryAtMs: 600_000 },
    },
    "Compaction failed: the provider did not answer. The conversation is unchanged. The next try is in 10 min.",
  ],
  [
    { kind: "notes-updated", outcome: "failed", tokens: 0 },
    "Could not update the session's notes. The notes stay as they were; the next update tries again.",
  ],
  [
    { kind: "memories-extracted", outcome: "extracted", count: 1 },
    "Saved 1 memory from the conversation. To see the memory: palimpsest memory.",
  ],
  [
    { kind: "memories-extracted", outcome: "failed", count: 0, why: "it took too long" },
    "Could not save memories from this turn: it took too long. The next turn tries again.",
  ],
  [
    { kind: "memories-extracted", outcome: "over-budget", count: 0, why: "the day's tokens are used" },
    "Stopped saving memories from this session: the day's tokens are used.",
  ],
  [{ kind: "memories-waiting", count: 1 }, "1 memory waits for your yes. To review: palimpsest memory inbox."],
  [{ kind: "memories-waiting", count: 3 }, "3 memories wait for your yes. To review: palimpsest memory inbox."],
  [{ kind: "dreamed", trigger: "auto", outcome: "nothing", changed: 0 }, "Checked the memory: nothing had to change."],
  [
    { kind: "dreamed", trigger: "auto", outcome: "failed", changed: 0, why: "no answer" },
    "Tidying up the memory failed: no answer. Nothing was changed. The next try is tomorrow.",
  ],
  [
    { kind: "dreamed", trigger: "auto", outcome: "held", changed: 5, why: "it takes away 5 of 12 topics" },
    "Tidying up the memory would change 5 topics and waits for your approval: it takes away 5 of 12 topics. To apply the changes: palimpsest memory dream --yes.",
  ],
  [
    { kind: "breaker-tripped", of: "dream", failures: 3 },
    "Tidying up the memory failed 3 times in a row. The next try is in a week. To try now: palimpsest memory dream.",
  ],
  [
    { kind: "mail-arrived", count: 2, from: ["mate"] },
    "2 messages from mate. The model reads them with its next request.",
  ],
  [
    { kind: "files-restored", putBack: 2, skipped: 0, failed: 1, parts: [] },
    "After the compaction, 1 file could not be read. The model can still read what it needs.",
  ],
  [
    {
      kind: "files-restored",
      putBack: 0,
      skipped: 0,
      failed: 0,
      parts: [
        { name: "files", items: 1, tokens: 10, fullTokens: 90, why: "no room" },
        { name: "plan", items: 1, tokens: 2_000, fullTokens: 9_000, why: "no room" },
        { name: "skills", items: 1, tokens: 0, fullTokens: 900, why: "no room" },
      ],
    },
    "After the compaction, the plan was cut to 2,000 of 9,000 tokens; the skills were left out. The model can still read what it needs.",
  ],
  [
    {
      kind: "media-refused",
      entry: 4,
      media: "image",
      problem: "unreadable",
      by: "provider",
      why: "Could not process image",
    },
    "Left out an image. The provider refused it: Could not process image. The model sees a note in its place.",
  ],
  [
    {
      kind: "hooks-ran",
      event: "PreToolUse",
      ran: 1,
      durationMs: 3,
      messages: [],
      failures: [{ by: "PreToolUse: lint.sh", kind: "timeout", message: "No answer after 60 s." }],
    },
    "Hook failed (PreToolUse: lint.sh): No answer after 60 s.",
  ],
];

const forecast = {
  reason: "economic",
  because: "economic pays",
  tokens: 120_000,
  windowTokens: 200_000,
  expectedTokens: 35_000,
  savesTokensPerRequest: 85_000,
  savesUsdPerRequest: 0.0425,
} as const;

const SILENT: readonly NewEvent[] = [
  { kind: "turn-started" },
  { ...cacheBreak, causes: ["boundary"], sort: "expected" },
  { kind: "notes-updated", outcome: "updated", tokens: 300 },
  { kind: "forked", source: "compact", outcome: "ok", used },
  { kind: "agent-changed", agent: "a", way: "teammate", status: "idle" },
  { ...PING, activity: "tool-runs", allPings: 1 },
  { ...PING, activity: "waiting", allPings: 2 },
  { kind: "memories-extracted", outcome: "nothing", count: 0 },
  { kind: "dreamed", trigger: "manual", outcome: "held", changed: 5 },
  { kind: "memory-judged", verdict: "rejected" },
  { kind: "hooks-ran", event: "Stop", ran: 1, durationMs: 3, messages: [], failures: [] },
];

function at(newEvent: NewEvent): SessionEvent {
  return { ...newEvent, session: "s", atMs: 0 };
}

describe("noticeOf", () => {
  it.each(LINES.map(([newEvent, text]) => [newEvent.kind, newEvent, text] as const))(
    "%s has a notice on the command line",
    (_, newEvent, text) => {
      expect(noticeOf(at(newEvent), "command-line")?.text).toBe(text);
    },
  );

  it.each(SILENT.map((newEvent) => [newEvent.kind, newEvent] as const))("%s has no notice", (_, newEvent) => {
    expect(noticeOf(at(newEvent), "command-line")).toBeUndefined();
  });

  it.each([
    [
      "now",
      "Compacting it to about 35,000 saves 85,000 tokens ($0.0425) on every request. Why: economic pays. To undo it",
    ],
    ["after-next-message", "It will be compacted after your next message"],
    [
      "when-full",
      "stays whole until the context window is nearly full. To compact it anyway: /compact. That saves 85,000 tokens",
    ],
  ] as const)("announces a compaction: %s", (when, text) => {
    expect(noticeOf(at({ kind: "compaction-announced", when, ...forecast }), "terminal")?.text).toContain(text);
  });

  it("says how to keep more detail before a compaction that comes early in a large window", () => {
    const announced = { kind: "compaction-announced", when: "now", ...forecast, windowTokens: 1_000_000 } as const;
    expect(noticeOf(at(announced), "terminal")?.text).toBe(
      "The conversation has 120,000 of 1,000,000 tokens. Compacting it already now, to about 35,000, saves 85,000 tokens ($0.0425) on every request. Why: economic pays. To keep more detail for longer: /config quality. To undo it: /undo.",
    );
    const full = noticeOf(at({ ...announced, reason: "window" }), "terminal")?.text;
    expect(full).not.toContain("quality");
  });

  it("names the commands of the surface", () => {
    const due = at({ kind: "compaction-due", ...forecast });
    expect(noticeOf(due, "terminal")?.text).toContain("/compact");
    expect(noticeOf(due, "command-line")?.text).toContain("palimpsest sessions compact");
  });

  it("is a problem if something failed", () => {
    const weightOf = (kind: NewEvent["kind"]) => {
      const [newEvent] = LINES.find(([one]) => one.kind === kind)!;
      return noticeOf(at(newEvent), "terminal")?.weight;
    };
    const [stored, failed] = [weightOf("result-stored"), weightOf("storing-failed")];
    expect([stored, failed]).toEqual(["news", "problem"]);
  });
});

describe("of an agent", () => {
  const failed = at({ kind: "storing-failed", bytes: 84_210, error: "disk full", shown: "all" });

  it("shows only problems, with the agent's name", () => {
    const scout = { kind: "agent", name: "scout" } as const;
    expect(noticeOf(failed, "command-line", scout)?.text).toMatch(/^Agent scout: Could not store a tool result/);
    const stored = at({ kind: "result-stored", entry: 4, bytes: 84_210, way: "alone" });
    expect(noticeOf(stored, "command-line", scout)).toBeUndefined();
  });

  it("shows nothing about a fork, because its caller reports the outcome", () => {
    expect(noticeOf(failed, "command-line", { kind: "fork", name: "compact" })).toBeUndefined();
  });
});
