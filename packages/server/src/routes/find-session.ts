import { type Problem, problem } from "../http/problems.ts";
import type { Call } from "../http/route.ts";

/** Names that every store takes. */
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

export const SESSION_ID_RULE: string =
  "1 to 128 letters, digits, dots, dashes and underscores; the first is a letter or a digit";

export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id);
}

/** A session that is there. */
export interface FoundSession {
  readonly kind: "found";
  readonly session: string;
  readonly newestEntry: number;
}

/** Looks for the session that the address names. Reading its head also tells that the log can be read. */
export async function findSession({
  params,
  tenant,
}: Pick<Call, "params" | "tenant">): Promise<FoundSession | Problem> {
  const session = params["session"]!;
  const reader = isSessionId(session) ? await tenant.store.openReader(session) : undefined;
  if (reader === undefined)
    return problem(
      "no-such-session",
      `There is no session ${JSON.stringify(session)}. GET /v1/sessions lists those that there are.`,
    );
  try {
    return { kind: "found", session, newestEntry: (await reader.head()).sequence };
  } finally {
    await reader.close();
  }
}
