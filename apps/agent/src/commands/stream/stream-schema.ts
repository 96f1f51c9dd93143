// The JSON schema of the lines of `--output-format stream-json`.
import type { QueryEvent } from "palimpsest";
import type { LedgerTotals } from "palimpsest/inspect";
import type { EventOwner } from "../../agent/agent.ts";
import type { DeniedCall } from "../../permissions/headless-permission.ts";
import { sessionEventSchema, USED_TOKENS } from "./session-event-schema.ts";
import { type ReportedEvent, STREAM_VERSION, type StreamStarted, type TurnResult } from "./turn-report.ts";
import {
  anything,
  byKind,
  type FieldsOf,
  type JsonSchema,
  list,
  number,
  object,
  optional,
  type TypedSchema,
  text,
  word,
} from "./typed-schema.ts";

/** A line of the output of `--output-format stream-json`. */
type StreamEvent = StreamStarted | ReportedEvent | TurnResult;

type Response = Extract<QueryEvent, { kind: "response" }>["response"];
type Call = Response["calls"][number];
type Question = Extract<QueryEvent, { kind: "tool-waiting" }>["question"];

const call = object<Call>({
  kind: word(["tool_call"]),
  id: text("Not always unique: some local servers reuse one id."),
  name: text("The name of the tool."),
  input: anything("The input as the model wrote it; a string if it is invalid JSON."),
  through: optional(word(["call_tool"], "The tool by which the model called a deferred tool.")),
  native: optional(anything("The block as the provider sent it.")),
});

const usage = object<Response["usage"]>({
  ...USED_TOKENS,
  cacheWrite1hTokens: optional(number("The part of cacheWriteTokens with a lifetime of one hour.")),
  deletedTokens: optional(number("Tokens that were deleted from the cached prompt.")),
  ending: optional(word(["interrupted"])),
  estimated: optional(word(["output", "all"], "The counts that are estimates.")),
  input: optional(word(["truncated"], "The server silently read less than was sent.")),
});

const response = object<Response>({
  responseId: text(),
  model: text("The provider's name of the model."),
  text: text("The text of the answer."),
  calls: list(call, "The tool calls that follow."),
  refusedCalls: optional(list(call, "Tool calls that were refused without being run.")),
  stop: word(
    ["end", "tools", "length", "window", "paused", "refused", "compacted", "other"],
    "Why the model stopped. length: at the output limit. window: the context window is full.",
  ),
  usage,
  compaction: optional(anything("A compaction by the provider.")),
  cacheDiagnosis: optional(anything("The first difference from the previous request, as the provider reports it.")),
  appliedEdits: optional(anything("The content that the provider left out.")),
  overflow: optional(anything("The server accepted a request that does not fit, and answered only a part of it.")),
  truncation: optional(anything("The server read less than was sent.")),
});

const totals = object<LedgerTotals>({
  responses: number(),
  freshTokens: number("Input tokens that were neither read from the prompt cache nor written to it."),
  cacheReadTokens: number(),
  cacheWriteTokens: number(),
  outputTokens: number(),
  priceUsd: number("The price of the responses with known prices."),
  perfectPriceUsd: number("The price of the same responses with a perfect prompt cache."),
  forksMissedUsd: number(
    "The part of priceUsd for tokens that forks did not read from the prompt cache of their parent.",
  ),
  unpricedResponses: number("Responses of models without known prices."),
  estimatedResponses: optional(number("Interrupted answers without a full usage report.")),
  estimatedUsd: optional(number("The estimated part of priceUsd for those answers.")),
});

const denied = object<DeniedCall>({
  tool: text(),
  input: anything("The input of the call."),
  reason: text(),
  allowedBy: list(text(), "The rules for --allow that the call needs; empty if no rule would help."),
});

const question = object<Question>({
  sessionId: text(),
  callId: text(),
  tool: text(),
  input: anything("The input that the tool would run with."),
  reason: optional(text("Why permission is needed.")),
});

const owner = object<EventOwner>({ kind: word(["agent", "fork"]), name: text() });

const NONE: FieldsOf<Record<never, never>> = {};

const EVENTS: TypedSchema<StreamEvent> = byKind<StreamEvent>(
  {
    "stream-started": {
      about: "The first line.",
      fields: {
        version: { json: { const: STREAM_VERSION, description: "The version of the events." } },
        session: text("The id of the session: palimpsest --resume ID continues it."),
        model: text(),
        folder: text("The folder that the agent works in."),
      },
    },
    "request-started": {
      about: "A request is about to be sent, for the first time or again after a failure.",
      fields: { tries: number("The number of the attempt, from 1.") },
    },
    "request-waiting": {
      about: "The request waits, because a limit that it shares with other requests is used up.",
      fields: { waitMs: number("The expected wait."), message: text() },
    },
    text: { about: "A piece of the answer.", fields: { text: text() } },
    thinking: { about: "A piece of the model's reasoning.", fields: { text: text() } },
    tool_call: { about: "The model begins to write a tool call.", fields: { id: text(), name: text() } },
    tool_input: {
      about: "A piece of a tool call's input.",
      fields: { id: text(), text: text("A piece of JSON.") },
    },
    "retry-waiting": {
      about: "The request failed and is sent again after a wait. Discard the pieces of this answer.",
      fields: {
        reason: word([
          "overflow",
          "media-refused",
          "rate-limited",
          "overloaded",
          "broken-stream",
          "unreachable",
          "aborted",
          "refused",
        ]),
        message: text(),
        waitMs: number(),
        tries: number("Requests so far."),
      },
    },
    response: { about: "The log has a complete response.", fields: { response } },
    "tool-started": {
      about: "A tool runs.",
      fields: { call, input: anything("The input that the tool runs with, after changes by its schema and hooks.") },
    },
    "tool-output": {
      about: "What a tool returned. Comes before the tool-ended of the same call.",
      fields: {
        callId: text("The id of the call."),
        text: text("The first 20,000 characters of the output."),
        lines: number("The number of lines of the whole output."),
      },
    },
    "tool-ended": {
      about: "The result of a tool call.",
      fields: {
        call,
        status: word(["ok", "error"]),
        how: word(
          ["ran", "threw", "timed-out", "aborted", "denied", "invalid-input", "unknown-tool", "not-run", "unknown"],
          "not-run: the turn had ended, or the call was incomplete. unknown: it may have run when an earlier process ended.",
        ),
      },
    },
    "tool-waiting": { about: "A tool call waits for permission.", fields: { question } },
    "new-content-taken": {
      about: "Messages that arrived during the turn are part of the next request.",
      fields: { count: number() },
    },
    notice: { about: "Information for the user.", fields: { text: text() } },
    "session-event": {
      about: "An event of the session, or of one of its agents.",
      fields: {
        event: sessionEventSchema,
        owner: optional({ json: { ...owner.json, description: "The agent or fork; absent for the session itself." } }),
      },
    },
    result: {
      about: "The end of a turn. The last line, unless the input is a stream of messages: then one for each turn.",
      fields: {
        session: text("The id of the session."),
        outcome: word([
          "done",
          "refused",
          "aborted",
          "left",
          "waiting",
          "window-full",
          "rounds-used-up",
          "failed",
          "budget-used-up",
        ]),
        text: text("The answer."),
        problem: optional(text("What went wrong, and what to do about it.")),
        rounds: number("The number of responses."),
        usage: { json: { ...totals.json, description: "The usage of this turn." } },
        denied: list(denied, "Tool calls that were denied."),
        notices: list(text(), "The notices since the previous result."),
        exitCode: number("The exit code of the program, if this is the last turn."),
      },
    },
  },
  NONE,
);

/** The JSON schema of one line of `--output-format stream-json`. `npm run generate` writes it to stream.schema.json. */
export const STREAM_SCHEMA: JsonSchema = {
  description: `A line of the output of palimpsest --output-format stream-json, version ${STREAM_VERSION}. Within a version, events and fields are only added: ignore those that you do not know.`,
  ...EVENTS.json,
};
