import type { Schema } from "palimpsest/schema";
import { PROBLEMS } from "../http/problems.ts";
import { SCOPES } from "../tokens/token.ts";

const TEXT: Schema = { type: "string" };
const COUNT: Schema = { type: "integer", minimum: 0 };
const TIME: Schema = { type: "number", description: "milliseconds since 1970" };
const AMOUNT: Schema = { type: "number" };
const METADATA: Schema = {
  type: "object",
  description: "Any JSON object of at most 16 KB. `title` and `tags` have the same meaning everywhere.",
  properties: { title: TEXT, tags: { type: "array", items: TEXT } },
};

const list = (name: SchemaName): Schema => ({ type: "array", items: refTo(name) });

/** An object with these fields; those behind the bar may be absent. Others are added by later releases. */
function object(required: Readonly<Record<string, Schema>>, optional: Readonly<Record<string, Schema>> = {}): Schema {
  return { type: "object", properties: { ...required, ...optional }, required: Object.keys(required) };
}

type SchemaName =
  | "Session"
  | "SessionPage"
  | "SessionList"
  | "Accepted"
  | "Message"
  | "MessagePage"
  | "Question"
  | "QuestionPage"
  | "Answered"
  | "Rewound"
  | "Compaction"
  | "Context"
  | "Cost"
  | "Entry"
  | "Event"
  | "Problem";

/** Replies of the API by their names in the OpenAPI document. */
export const REPLY_SCHEMAS: Readonly<Record<SchemaName, Schema>> = {
  Session: object(
    {
      id: TEXT,
      entries: { ...COUNT, description: "the number of the newest entry: rewind can go back to it" },
      newestEventOffset: { ...COUNT, description: "watch events after it to see what comes after this answer" },
      state: {
        enum: ["running", "waiting", "idle"],
        description: "by the log. running: a turn has something to do; waiting: its calls wait for people",
      },
      questions: { ...COUNT, description: "open questions, counted up to 100" },
    },
    { metadata: METADATA },
  ),
  SessionList: object({ id: TEXT }, { metadata: METADATA }),
  SessionPage: object(
    { sessions: { type: "array", items: refTo("SessionList") } },
    { next: { ...TEXT, description: "pass it as `after`" } },
  ),
  Accepted: object(
    {
      state: { enum: ["accepted", "known"], description: "known: a request with this key was accepted before" },
      session: { enum: ["woken", "set-aside"], description: "set-aside: it is stored, but the session does not run" },
    },
    { advice: { ...TEXT, description: "what to do about a session that is set aside" } },
  ),
  Message: object({
    entry: COUNT,
    atMs: TIME,
    role: { enum: ["user", "assistant"] },
    origin: { enum: ["human", "model", "tool", "command", "host", "summary"] },
    provenance: object({ kind: TEXT }, { name: TEXT }),
    blocks: { type: "array", items: object({ kind: TEXT }) },
    shown: { enum: ["whole", "stored", "cleared", "compacted", "erased", "user-only"] },
  }),
  MessagePage: object({ messages: list("Message") }, { earlier: { ...COUNT, description: "pass it as `before`" } }),
  Question: object(
    {
      sessionId: TEXT,
      callId: { ...TEXT, description: "names the question in its address" },
      tool: TEXT,
      input: { description: "JSON: the input that the tool would run with" },
      askedAtMs: TIME,
    },
    { reason: TEXT, expiresAtMs: TIME },
  ),
  QuestionPage: object({ questions: list("Question") }, { next: { ...TEXT, description: "pass it as `after`" } }),
  Answered: object({ decision: { enum: ["allow", "deny"] }, by: TEXT }),
  Rewound: object({ entries: COUNT }),
  Compaction: object({ kind: { enum: ["compacted", "nothing", "failed", "aborted"] } }, { why: TEXT, boundary: COUNT }),
  Context: object({
    size: object({
      tokens: COUNT,
      windowTokens: COUNT,
      percentLeft: AMOUNT,
      level: { enum: ["ok", "warning", "error", "blocked"] },
    }),
    accounting: object({ systemTokens: COUNT, toolDefinitionTokens: COUNT, totalTokens: COUNT, sizeTokens: COUNT }),
  }),
  Cost: object({
    responses: COUNT,
    priceUsd: AMOUNT,
    perfectPriceUsd: AMOUNT,
    gapUsd: AMOUNT,
    forksMissedUsd: AMOUNT,
    unpricedResponses: COUNT,
    bySource: { type: "object" },
    nextRequest: object({ inputTokens: COUNT, cachedTokens: COUNT, cache: { enum: ["warm", "cold", "new"] } }),
  }),
  Entry: object({ sequence: COUNT, kind: TEXT, version: COUNT, atMs: TIME, digest: TEXT, hash: TEXT }),
  Event: object({
    kind: {
      ...TEXT,
      description: "text, response, tool-started, tool-waiting, run-ended, session-event, too-old, closing and others",
    },
  }),
  Problem: object(
    {
      type: { ...TEXT, format: "uri" },
      title: TEXT,
      status: COUNT,
      detail: { ...TEXT, description: "what happened, and what to do" },
      code: { enum: Object.keys(PROBLEMS) },
      requestId: TEXT,
    },
    { retryAfterMs: COUNT, problems: { type: "array", items: TEXT }, scope: { enum: SCOPES } },
  ),
};

export function refTo(name: SchemaName): Schema {
  return { $ref: `#/components/schemas/${name}` };
}
