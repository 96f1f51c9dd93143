import { exportLog, type Session } from "palimpsest";
import { choice, integer, object, optional, text } from "palimpsest/schema";
import { inSession } from "../host/in-session.ts";
import { readSnapshot } from "../host/read-snapshot.ts";
import { problem } from "../http/problems.ts";
import { type Call, type Reply, type Route, route } from "../http/route.ts";
import { changeSession } from "./change-session.ts";
import { findSession, isSessionId, SESSION_ID_RULE } from "./find-session.ts";
import { refTo } from "./reply-schemas.ts";

/** What a session has come to: read from any machine, beside its turn; rewound, forked and compacted between turns. */
export const HISTORY_ROUTES: readonly Route[] = [
  route({
    method: "GET",
    path: "/v1/sessions/{session}/messages",
    operation: "listMessages",
    about:
      "Lists the conversation as the user saw it, compacted messages included. The newest page is first; in a page the oldest message is.",
    scope: "sessions:read",
    query: {
      before: integer("`earlier` of the page behind", { minimum: 1 }),
      limit: integer("at most so many; default: 50", { minimum: 1, maximum: 1_000 }),
      attachments: choice(["with", "without"], "what the host added for the model; default: without"),
    },
    replies: { 200: { about: "A page of messages.", schema: refTo("MessagePage") } },
    problems: ["no-such-session"],
    run: (call) => read(call, (session) => session.messages(call.query)),
  }),
  route({
    method: "GET",
    path: "/v1/sessions/{session}/context",
    operation: "readContext",
    about: "Shows how full the context window is, and what fills it.",
    scope: "sessions:read",
    replies: { 200: { about: "Sizes in tokens.", schema: refTo("Context") } },
    problems: ["no-such-session"],
    run: (call) => read(call, async ({ view }) => ({ size: view.size(), accounting: view.accounting() })),
  }),
  route({
    method: "GET",
    path: "/v1/sessions/{session}/cost",
    operation: "readCost",
    about: "Shows what a session cost, and what cache misses cost.",
    scope: "sessions:read",
    replies: { 200: { about: "Tokens and money.", schema: refTo("Cost") } },
    problems: ["no-such-session"],
    run: (call) => read(call, ({ ledger }) => ledger.cost()),
  }),
  route({
    method: "GET",
    path: "/v1/sessions/{session}/export",
    operation: "exportSession",
    about: "Exports the whole log as lines of JSON, one entry each, oldest first.",
    scope: "sessions:read",
    replies: { 200: { about: "The log.", schema: refTo("Entry"), mediaType: "application/x-ndjson" } },
    problems: ["no-such-session"],
    async run(call) {
      const found = await findSession(call);
      if (found.kind === "problem") return found;
      return { kind: "lines", name: `${found.session}.jsonl`, lines: linesOf(call, found.session) };
    },
  }),
  route({
    method: "POST",
    path: "/v1/sessions/{session}/rewind",
    operation: "rewindSession",
    about: "Goes back to an earlier entry. Later entries stay in the log. Effects of tools are not undone.",
    scope: "sessions:write",
    body: object({
      to: integer("the number of the entry to go back to", { minimum: 0 }),
      reason: optional(text(undefined, { maxLength: 2_000 })),
    }),
    replies: { 200: { about: "The session is rewound.", schema: refTo("Rewound") } },
    problems: ["no-such-session", "session-busy", "session-changed", "not-possible"],
    run: (call) =>
      change(call, async ({ history }) => {
        await history.rewind(call.body.to, call.body.reason);
        return { kind: "json", status: 200, body: { entries: history.newestEntry } };
      }),
  }),
  route({
    method: "POST",
    path: "/v1/sessions/{session}/fork",
    operation: "forkSession",
    about: "Creates a session that begins with the same conversation and goes its own way.",
    scope: "sessions:write",
    body: object({
      id: optional(text(`the id of the fork: ${SESSION_ID_RULE}`, { minLength: 1, maxLength: 128 })),
      at: optional(integer("the entry at which it parts; default: the newest", { minimum: 1 })),
    }),
    bodyIs: "optional",
    replies: { 201: { about: "The fork was created.", schema: refTo("SessionList") } },
    problems: ["no-such-session", "session-exists", "session-busy", "session-changed", "not-possible"],
    async run(call) {
      const { id = crypto.randomUUID(), ...at } = call.body;
      if (!isSessionId(id)) return problem("invalid-request", `The id must have ${SESSION_ID_RULE}.`);
      const there = await call.tenant.store.openReader(id);
      await there?.close();
      if (there !== undefined) return problem("session-exists", `There is a session ${id} already. Choose another id.`);
      return change(call, async (session) => {
        await inSession(session.fork({ ...at, id, source: "fork" }), async () => undefined);
        return { kind: "json", status: 201, location: `/v1/sessions/${id}`, body: { id } };
      });
    },
  }),
  route({
    method: "POST",
    path: "/v1/sessions/{session}/compact",
    operation: "compactSession",
    about: "Summarizes the conversation to free up context. The model is asked, which may take a minute.",
    scope: "sessions:write",
    body: object({
      instructions: optional(text("what the summary should keep", { maxLength: 10_000 })),
      from: optional(integer("compact this message and all behind it", { minimum: 1 })),
      upTo: optional(integer("compact all before this message", { minimum: 1 })),
    }),
    bodyIs: "optional",
    replies: { 200: { about: "What became of it: compacted, or why not.", schema: refTo("Compaction") } },
    problems: ["no-such-session", "session-busy", "session-changed"],
    run: (call) =>
      change(call, async (session) => {
        const body = await session.compact({ ...call.body, signal: call.signal });
        return { kind: "json", status: 200, body };
      }),
  }),
];

async function read(
  call: Pick<Call, "params" | "tenant">,
  work: (session: Session) => Promise<unknown>,
): Promise<Reply> {
  const found = await findSession(call);
  if (found.kind === "problem") return found;
  return { kind: "json", status: 200, body: await readSnapshot(call.tenant, found.session, work) };
}

async function change(
  call: Pick<Call, "params" | "tenant">,
  work: (session: Session) => Promise<Reply>,
): Promise<Reply> {
  const found = await findSession(call);
  return found.kind === "problem" ? found : changeSession(call.tenant, found.session, work);
}

async function* linesOf({ tenant }: Pick<Call, "tenant">, session: string): AsyncGenerator<string> {
  const reader = await tenant.store.openReader(session);
  if (reader === undefined) return;
  try {
    yield* exportLog(reader);
  } finally {
    await reader.close();
  }
}
