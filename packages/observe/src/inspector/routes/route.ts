import type { Refused } from "../http/check-sender.ts";
import type { IndexedSession, OpenSessions } from "../open-sessions.ts";
import type { ProviderOf } from "../sources/session-source.ts";

/** What the routes work with. */
export interface RouteParts {
  readonly sessions: OpenSessions;
  readonly providerOf: ProviderOf;
}

export interface Question {
  /** Of the path, by the names in the route. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

/** An answer as JSON, or why there is none. */
export type Answer = { readonly kind: "json"; readonly value: unknown } | ({ readonly kind: "refused" } & Refused);

/** One address of the inspector. `:name` in the path stands for one part of it. */
export interface Route {
  readonly path: string;
  answer(question: Question, parts: RouteParts): Promise<Answer>;
}

export function json(value: unknown): Answer {
  return { kind: "json", value };
}

export function refuse(status: Refused["status"], code: string, message: string): Answer {
  return { kind: "refused", status, code, message };
}

/** A route below one session. */
export function ofSession(
  path: string,
  answer: (session: IndexedSession, question: Question, parts: RouteParts) => Promise<Answer>,
): Route {
  return {
    path: `/api/sessions/:session${path}`,
    async answer(question, parts) {
      const session = await parts.sessions.find(question.parameters["session"]!);
      if (session === undefined) return refuse(404, "no-such-session", "There is no such session any more.");
      return answer(session, question, parts);
    },
  };
}

/** A whole number of a question; undefined if it has none. */
export function countIn(text: string | null | undefined): number | undefined {
  const count = text == null || text === "" ? undefined : Number(text);
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** The range of entries that a question asks about. */
export function rangeIn(query: URLSearchParams): { readonly from?: number; readonly to?: number } {
  const [from, to] = [countIn(query.get("from")), countIn(query.get("to"))];
  return { from, to };
}
