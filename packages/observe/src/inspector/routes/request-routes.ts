import { diffRequests, type NoRequestAt, type RequestAt, requestAt } from "palimpsest/inspect";
import type { IndexedSession } from "../open-sessions.ts";
import type { ProviderOf } from "../sources/session-source.ts";
import { type Answer, countIn, json, ofSession, type Question, type Route, type RouteParts, refuse } from "./route.ts";

/** Requests that were looked at last, of all sessions: a diff needs two, a scrubber goes back and forth. */
const KEPT_REQUESTS = 6;
const MAX_SEGMENTS = 2_000;
const MAX_BODY_CHARACTERS = 500_000;

type Found = RequestAt | NoRequestAt;

/** What a request consists of, its text, and how it differs from another. */
export function requestRoutes(): readonly Route[] {
  const made = new Map<string, Promise<Found>>();

  function find(session: IndexedSession, entry: number, providerOf: ProviderOf): Promise<Found> {
    const name = `${session.key} ${entry}`;
    const known = made.get(name) ?? requestAt(session.inspected, entry, providerOf);
    made.delete(name);
    made.set(name, known);
    known.catch(() => made.delete(name));
    const [oldest] = made.keys();
    if (made.size > KEPT_REQUESTS && oldest !== undefined) made.delete(oldest);
    return known;
  }

  async function withRequest(
    session: IndexedSession,
    { parameters }: Question,
    { providerOf }: RouteParts,
    answer: (request: RequestAt) => Promise<Answer>,
  ): Promise<Answer> {
    const found = await find(session, countIn(parameters["entry"]) ?? 0, providerOf);
    return found.kind === "request" ? answer(found) : refuseRequest(found);
  }

  return [
    ofSession("/requests/:entry", (session, question, parts) =>
      withRequest(session, question, parts, async (request) => {
        const { segments, body, request: _, ...known } = request;
        const from = countIn(question.query.get("from")) ?? 0;
        const shown = segments.slice(from, from + MAX_SEGMENTS).map(({ plain, ...segment }) => segment);
        const next = from + MAX_SEGMENTS < segments.length ? { next: from + MAX_SEGMENTS } : {};
        const { fidelity, index } = session;
        return json({
          ...known,
          fidelity,
          characters: body.length,
          segments: shown,
          total: segments.length,
          ...next,
          ...index.neighbors(request.entry),
        });
      }),
    ),

    ofSession("/requests/:entry/body", (session, question, parts) =>
      withRequest(session, question, parts, async ({ body }) => {
        const from = countIn(question.query.get("from")) ?? 0;
        const to = Math.min(countIn(question.query.get("to")) ?? body.length, from + MAX_BODY_CHARACTERS, body.length);
        return json({ from, to, characters: body.length, text: body.slice(from, to) });
      }),
    ),

    ofSession("/requests/:entry/diff/:other", (session, question, parts) =>
      withRequest(session, question, parts, async (before) => {
        const other = await find(session, countIn(question.parameters["other"]) ?? 0, parts.providerOf);
        return other.kind === "request" ? json(diffRequests(before, other)) : refuseRequest(other);
      }),
    ),
  ];
}

function refuseRequest(found: NoRequestAt): Answer {
  switch (found.kind) {
    case "no-request":
      return refuse(404, found.kind, `Entry ${found.entry} is no request.`);
    case "no-configuration":
      return refuse(404, found.kind, "The log has no configuration before this request that can be read.");
    case "no-provider":
      return refuse(
        404,
        "no-provider",
        `This program cannot render requests of ${JSON.stringify(found.provider)}. Their texts are in the entries.`,
      );
  }
}
