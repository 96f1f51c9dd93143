import { InvalidOptionError } from "palimpsest";
import { integer, list, object, optional, text } from "palimpsest/schema";
import { type SessionMetadata, toMetadataText } from "palimpsest/store-parts";
import { inSession } from "../host/in-session.ts";
import { readSnapshot, stateOf } from "../host/read-snapshot.ts";
import { problem } from "../http/problems.ts";
import { type Route, route } from "../http/route.ts";
import { changeSession } from "./change-session.ts";
import { findSession, isSessionId, SESSION_ID_RULE } from "./find-session.ts";
import { refTo } from "./reply-schemas.ts";

const METADATA = object(
  { title: optional(text()), tags: optional(list(text())) },
  {
    description: "any JSON object of at most 16 KB; `title` and `tags` have the same meaning everywhere",
    others: "allowed",
  },
);

/** Sessions as a whole: created, listed, described, deleted. */
export const SESSION_ROUTES: readonly Route[] = [
  route({
    method: "POST",
    path: "/v1/sessions",
    operation: "createSession",
    about:
      "Creates a session. Give an `id` to be able to try again safely: a second attempt answers with session-exists.",
    scope: "sessions:write",
    body: object({
      id: optional(text(SESSION_ID_RULE, { minLength: 1, maxLength: 128 })),
      metadata: optional(METADATA),
    }),
    bodyIs: "optional",
    replies: { 201: { about: "The session was created.", schema: refTo("Session") } },
    problems: ["session-exists", "not-possible"],
    async run({ body: { id = crypto.randomUUID(), metadata }, tenant }) {
      if (!isSessionId(id)) return problem("invalid-request", `The id must have ${SESSION_ID_RULE}.`);
      const tooLarge = metadataProblem(metadata);
      if (tooLarge !== undefined) return problem("not-possible", tooLarge);
      const exists = problem("session-exists", `There is a session ${id} already. Use it, or choose another id.`);
      const reader = await tenant.store.openReader(id);
      await reader?.close();
      if (reader !== undefined) return exists;
      const entries = await inSession(
        tenant.open(id, tenant.store, "write"),
        async ({ history }) => history.newestEntry,
      );
      if (metadata !== undefined) await tenant.store.setMetadata(id, metadata);
      const described = { id, entries, newestEventOffset: 0, state: "idle", questions: 0 };
      const body = metadata === undefined ? described : { ...described, metadata };
      return { kind: "json", status: 201, location: `/v1/sessions/${id}`, body };
    },
  }),
  route({
    method: "GET",
    path: "/v1/sessions",
    operation: "listSessions",
    about: "Lists sessions, ordered by id, page by page.",
    scope: "sessions:read",
    query: {
      after: text("`next` of the page before"),
      limit: integer("at most so many; default: 100", { minimum: 1, maximum: 1_000 }),
    },
    replies: { 200: { about: "A page of sessions.", schema: refTo("SessionPage") } },
    async run({ query, tenant }) {
      return { kind: "json", status: 200, body: await tenant.store.list(query) };
    },
  }),
  route({
    method: "GET",
    path: "/v1/sessions/{session}",
    operation: "readSession",
    about:
      "Describes a session. To miss nothing: read it, list its messages, then watch events after `newestEventOffset`.",
    scope: "sessions:read",
    replies: { 200: { about: "The session.", schema: refTo("Session") } },
    problems: ["no-such-session"],
    async run(call) {
      const found = await findSession(call);
      if (found.kind === "problem") return found;
      const { session, newestEntry } = found;
      const { store, dispatch } = call.tenant;
      const [metadata, state, events, { questions }] = await Promise.all([
        store.readMetadata(session),
        readSnapshot(call.tenant, session, async (snapshot) => stateOf(snapshot)),
        dispatch.events.read(session, { limit: 1 }),
        dispatch.approvals.pending({ session, limit: 100 }),
      ]);
      const body = {
        id: session,
        entries: newestEntry,
        newestEventOffset: events.newestOffset,
        state,
        questions: questions.length,
        metadata,
      };
      return { kind: "json", status: 200, body };
    },
  }),
  route({
    method: "PUT",
    path: "/v1/sessions/{session}/metadata",
    operation: "setMetadata",
    about: "Replaces the metadata of a session. The last call wins.",
    scope: "sessions:write",
    body: METADATA,
    replies: { 204: { about: "The metadata was replaced." } },
    problems: ["no-such-session", "not-possible"],
    async run(call) {
      const found = await findSession(call);
      if (found.kind === "problem") return found;
      const tooLarge = metadataProblem(call.body);
      if (tooLarge !== undefined) return problem("not-possible", tooLarge);
      await call.tenant.store.setMetadata(found.session, call.body);
      return { kind: "empty", status: 204 };
    },
  }),
  route({
    method: "DELETE",
    path: "/v1/sessions/{session}",
    operation: "deleteSession",
    about: "Deletes a session for good: its log, its results, its metadata, and messages that it has not answered.",
    scope: "sessions:delete",
    replies: { 204: { about: "The session was deleted." } },
    problems: ["no-such-session", "session-busy", "session-cited"],
    async run(call) {
      const found = await findSession(call);
      if (found.kind === "problem") return found;
      // Frees a session that a worker keeps open.
      const freed = await changeSession(call.tenant, found.session, async () => ({ kind: "empty", status: 204 }));
      if (freed.kind === "problem") return freed;
      const outcome = await call.tenant.store.delete(found.session);
      switch (outcome.kind) {
        case "deleted":
        case "absent":
          // Also what was said and is not in the log yet: the session would begin anew with it.
          await call.tenant.dispatch.forget(found.session);
          return { kind: "empty", status: 204 };
        case "busy": {
          const { owner, freeAtMs } = outcome;
          const detail = `${owner} writes the session. Cancel its turn with POST .../cancel, then try again.`;
          return problem("session-busy", detail, { retryAfterMs: 1_000, more: { owner, freeAtMs } });
        }
        case "cited": {
          const { forks } = outcome;
          const detail = `${forks.length} forks show entries of the session. Delete them first: ${forks.slice(0, 10).join(", ")}.`;
          return problem("session-cited", detail, { more: { forks } });
        }
      }
    },
  }),
];

/** What is wrong with metadata; undefined if nothing is. */
function metadataProblem(metadata: SessionMetadata | undefined): string | undefined {
  if (metadata === undefined) return undefined;
  try {
    toMetadataText(metadata);
    return undefined;
  } catch (error) {
    if (InvalidOptionError.isInstance(error)) return error.message;
    throw error;
  }
}
