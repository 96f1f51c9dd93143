import { user } from "palimpsest";
import { choice, integer, list, object, optional, text, union } from "palimpsest/schema";
import type { TakenInput } from "../host/session-host.ts";
import { problem } from "../http/problems.ts";
import { type Call, type Reply, type Route, route } from "../http/route.ts";
import { findSession } from "./find-session.ts";
import { refTo } from "./reply-schemas.ts";
import { watchSession } from "./watch-session.ts";

/** Of an event, and of a question. */
const NUMBER = /^\d{1,15}$/;

const SOURCE = union([
  object({ kind: choice(["base64"]), mediaType: text(), data: text() }),
  object({ kind: choice(["url"]), url: text() }),
]);
const PART = union([
  object({ kind: choice(["text"]), text: text(undefined, { minLength: 1 }) }),
  object({ kind: choice(["image", "document"]), source: SOURCE }),
]);

/** Turns of a session: messages, what happens meanwhile, questions to people, cancellation. */
export const TURN_ROUTES: readonly Route[] = [
  route({
    method: "POST",
    path: "/v1/sessions/{session}/messages",
    operation: "say",
    about:
      "Says something to a session. The answer comes as events. Requests with the same Idempotency-Key are taken once.",
    scope: "sessions:write",
    headers: { "idempotency-key": { type: "string", minLength: 1, maxLength: 200 } },
    body: object({ content: union([text(undefined, { minLength: 1 }), list(PART, undefined, { minItems: 1 })]) }),
    replies: { 202: { about: "The message is stored, and the session will run.", schema: refTo("Accepted") } },
    problems: ["no-such-session", "key-used"],
    async run(call) {
      const found = await findSession(call);
      if (found.kind === "problem") return found;
      const { session } = found;
      const key = call.headers["idempotency-key"]!;
      const message = { key, content: user(call.body.content), ...traceOf(call) };
      return accepted(session, key, await call.tenant.say(session, message));
    },
  }),
  route({
    method: "GET",
    path: "/v1/sessions/{session}/events",
    operation: "watchEvents",
    about:
      "Streams what happens in a session as server-sent events, also while its turn runs on another machine. The id of an event is its offset; a client that comes back sends it as Last-Event-ID. An event `too-old` says that events are gone, and what to do.",
    scope: "sessions:read",
    query: {
      after: text(
        "the offset to begin behind, or `newest` for what comes from now on; Last-Event-ID counts instead, if it is sent. Default: all there is",
      ),
    },
    replies: {
      200: { about: "A stream of events without an end.", schema: refTo("Event"), mediaType: "text/event-stream" },
    },
    problems: ["no-such-session", "too-many-streams"],
    async run(call): Promise<Reply> {
      const found = await findSession(call);
      if (found.kind === "problem") return found;
      const wanted = call.headers["last-event-id"] ?? call.query.after;
      if (wanted !== undefined && wanted !== "newest" && !NUMBER.test(wanted))
        return problem(
          "invalid-request",
          `${JSON.stringify(wanted)} is no offset of an event. Send the id of the last event that you have, or newest.`,
        );
      return { kind: "events", events: watchSession(call.tenant.dispatch.events, found.session, wanted, call.signal) };
    },
  }),
  route({
    method: "GET",
    path: "/v1/questions",
    operation: "listQuestions",
    about: "Lists open questions, oldest first: calls of tools that wait until somebody allows or denies them.",
    scope: "sessions:read",
    query: {
      session: text("only questions of this session"),
      after: text("`next` of the page before"),
      limit: integer("at most so many; default: 100", { minimum: 1, maximum: 1_000 }),
    },
    replies: { 200: { about: "A page of questions.", schema: refTo("QuestionPage") } },
    async run({ query, tenant }) {
      if (query.after !== undefined && !NUMBER.test(query.after))
        return problem("invalid-request", `${JSON.stringify(query.after)} is no \`next\` of a page of questions.`);
      return { kind: "json", status: 200, body: await tenant.dispatch.approvals.pending(query) };
    },
  }),
  route({
    method: "PUT",
    path: "/v1/sessions/{session}/questions/{question}/answer",
    operation: "answerQuestion",
    about:
      "Allows or denies a call that waits. The session continues. {question} is the question's callId. The first answer counts.",
    scope: "sessions:approve",
    body: object({
      decision: choice(["allow", "deny"]),
      reason: optional(text("for the model, if it is denied", { maxLength: 2_000 })),
    }),
    replies: { 200: { about: "The answer is stored.", schema: refTo("Answered") } },
    problems: ["no-such-session", "no-such-question", "answered-before", "question-expired"],
    async run(call) {
      const found = await findSession(call);
      if (found.kind === "problem") return found;
      const question = call.params["question"]!;
      const by = call.token.name;
      const outcome = await call.tenant.dispatch.approvals.answer(found.session, question, { ...call.body, by });
      switch (outcome.kind) {
        case "answered":
          return { kind: "json", status: 200, body: { decision: call.body.decision, by } };
        case "answered-before": {
          const { answer } = outcome;
          // Whoever sends the same answer again has lost the reply to the first.
          if (answer.by === by && answer.decision === call.body.decision)
            return { kind: "json", status: 200, body: answer };
          const detail = `${answer.by} answered the question before: ${answer.decision}. That answer counts.`;
          return problem("answered-before", detail, { more: { answer } });
        }
        case "expired": {
          const when = new Date(outcome.expiredAtMs).toISOString();
          return problem(
            "question-expired",
            `The question expired at ${when}, and the call was denied. Ask the session to try again.`,
          );
        }
        case "absent":
          return problem(
            "no-such-question",
            "The session has no such question, or does not wait for it any more. GET /v1/questions lists open ones.",
          );
      }
    },
  }),
  route({
    method: "POST",
    path: "/v1/sessions/{session}/cancel",
    operation: "cancelTurn",
    about:
      "Ends the turn that answers what was said so far, wherever it runs. Calls of tools that were under way are answered as stopped. What is said later is answered.",
    scope: "sessions:write",
    body: object({ reason: optional(text(undefined, { maxLength: 2_000 })) }),
    bodyIs: "optional",
    replies: { 202: { about: "The turn ends within seconds.", schema: refTo("Accepted") } },
    problems: ["no-such-session", "key-used"],
    async run(call) {
      const found = await findSession(call);
      if (found.kind === "problem") return found;
      const key = call.headers["idempotency-key"] ?? crypto.randomUUID();
      const request = { ...call.body, key, by: call.token.name, ...traceOf(call) };
      return accepted(found.session, key, await call.tenant.stop(found.session, request));
    },
  }),
  route({
    method: "POST",
    path: "/v1/sessions/{session}/resume",
    operation: "resumeSession",
    about: "Lets a session run again that was set aside because it ended its workers too often.",
    scope: "sessions:write",
    replies: { 204: { about: "The session may run." } },
    problems: ["no-such-session"],
    async run(call) {
      const found = await findSession(call);
      if (found.kind === "problem") return found;
      await call.tenant.dispatch.schedule.resume(found.session);
      return { kind: "empty", status: 204 };
    },
  }),
];

function traceOf({ traceparent }: Pick<Call, "traceparent">): Pick<Call, "traceparent"> {
  return traceparent === undefined ? {} : { traceparent };
}

function accepted(session: string, key: string, { kind, session: state }: TakenInput): Reply {
  if (kind === "different")
    return problem(
      "key-used",
      `The session was given something else under the key ${JSON.stringify(key)}, and this was not taken. Send it with a new Idempotency-Key.`,
    );
  const taken = { state: kind === "added" ? "accepted" : "known", session: state };
  const advice = `The session ended its workers too often and does not run. Find out why, then POST /v1/sessions/${session}/resume.`;
  return { kind: "json", status: 202, body: state === "woken" ? taken : { ...taken, advice } };
}
