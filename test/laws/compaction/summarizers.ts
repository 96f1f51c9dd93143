import {
  type Ask,
  answer,
  cutStream,
  type Fault,
  misbehave,
  overloaded,
  overloadedInStream,
  type Reply,
  rateLimited,
  resetConnection,
  serverError,
  stallStream,
} from "@palimpsest/provider-simulator";

/** What a model says when it is asked for a summary, and how slowly. `call`: how often it was asked before. */
export type Summarizer = (ask: Ask, call: number) => { readonly reply: Reply; readonly eventMs?: number };

const TITLES = ["Request", "Concepts", "Files", "Errors", "Solving", "Corrections", "Pending", "Current work", "Next"];
const GOOD = toSummary(
  (number) => `What was done in part ${number}: the loader was renamed, and all of it was tested.`,
);

function toSummary(say: (number: number) => string): string {
  const sections = TITLES.map((title, index) => `## ${index + 1}. ${title}\n${say(index + 1)}`);
  return `<analysis>Going through it.</analysis>\n<summary>\n${sections.join("\n")}\n</summary>`;
}

const always =
  (reply: Reply): Summarizer =>
  () => ({ reply });
const saying =
  (reply: (ask: Ask) => Reply): Summarizer =>
  (ask) => ({ reply: reply(ask) });
const failing = (fault: Fault): Summarizer => always({ ...answer(GOOD), fault });
const DAYS_MS = 10 * 24 * 60 * 60 * 1_000;

/** By name, what becomes of summaries. All but the first three are of no use. */
export const SUMMARIZERS: Readonly<Record<string, Summarizer>> = {
  good: always(answer(GOOD)),
  "good at the third try": (_, call) => ({
    reply: call % 3 < 2 ? { ...answer(GOOD), fault: overloaded() } : answer(GOOD),
  }),
  "good without tools": saying(({ tools }) => answer(tools.length === 0 ? GOOD : "API Error: 500")),
  echo: saying(({ userText }) => answer(`<summary>\n${userText}\n</summary>`)),
  "echo under headings": saying(({ userText }) => answer(toSummary(() => userText.slice(0, 500)))),
  grow: saying(({ inputTokens }) =>
    answer(toSummary(() => "And then it happened again. ".repeat(1 + inputTokens / 40))),
  ),
  "say nothing": saying(misbehave.sayNothing),
  "say blank": saying(misbehave.sayBlank),
  "only think": saying(misbehave.onlyThink),
  "say an error": always(answer("API Error: 500 internal server error")),
  "say an error as JSON": always(
    answer('{"type":"error","error":{"type":"api_error","message":"Internal server error"}}'),
  ),
  refuse: saying(misbehave.refuse),
  "refuse in words": always(answer("I'm sorry, but I can't help with that.")),
  "call a tool": saying(misbehave.callAToolInstead),
  "call an unknown tool": saying(misbehave.callUnknownTool),
  "garbled call": saying(misbehave.garbleToolInput),
  "scratchpad only": always(answer("<analysis>Thinking about it, and about nothing else.</analysis>")),
  "empty skeleton": saying(misbehave.sayEmptySkeleton),
  forge: saying(misbehave.forgeBoundary),
  "half an emoji": saying(misbehave.splitSurrogate),
  "other language": saying(misbehave.switchLanguage),
  truncated: always({ ...answer(GOOD.slice(0, 400)), stop: "output-limit" }),
  "hang at once": failing(stallStream(0, DAYS_MS)),
  "hang in the middle": failing(stallStream(3, DAYS_MS)),
  "slow drip": () => ({ reply: answer(`${GOOD}\n${"And so on. ".repeat(500)}`), eventMs: 50_000 }),
  "too long, says 400": failing(status(400, "prompt is too long: 999999 tokens > 100000 maximum")),
  "too long, says nothing": failing(status(400, "prompt is too long")),
  "too large, says 413": failing(status(413, "Request exceeds the maximum size", "request_too_large")),
  "storm of 529": failing(overloaded()),
  "overloaded in the stream": failing(overloadedInStream(2)),
  "wait a day": failing(rateLimited({ retryAfterSeconds: 86_400 })),
  "server error": failing(serverError()),
  "reset connection": failing(resetConnection()),
  "cut stream": (_, call) => ({
    reply: { ...answer(GOOD), fault: cutStream(call % 12, call % 2 === 0 ? "closed" : "reset") },
  }),
};

function status(code: number, message: string, type = "invalid_request_error"): Fault {
  return { kind: "status", status: code, type, message };
}

export const GOOD_SUMMARIZERS = ["good", "good at the third try", "good without tools"] as const;
