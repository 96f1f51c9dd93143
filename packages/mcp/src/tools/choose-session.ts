import { asString, type JsonObject } from "palimpsest/schema";

import type { FoundSession } from "../sessions/session.ts";

/** The field of the inputs that name a session. */
export const SESSION_FIELD: JsonObject = {
  type: "string",
  description: 'The session, as "sessions" names it. Default: the one that was used last.',
};

/** Finds the wanted session by our name for it, by its id, or by the beginning of that. Returns what is wrong otherwise. */
export function chooseSession(sessions: readonly FoundSession[], input: JsonObject): FoundSession | string {
  const wanted = asString(input["session"]) ?? "";
  const newest = sessions.toSorted((one, other) => other.usedAtMs - one.usedAtMs)[0];
  if (newest === undefined) return "This folder has no session. Start the server with --all to see every session.";
  if (wanted === "") return newest;
  const exact = sessions.filter(({ key, id }) => key === wanted || id === wanted);
  const found = exact.length > 0 ? exact : sessions.filter(({ id }) => id.startsWith(wanted));
  const [first] = found;
  if (first === undefined) return "No session here has that name. Call sessions to list them.";
  const names = found.slice(0, 5).map(({ key }) => key);
  if (found.length > 1) return `${found.length} sessions match. Say which: ${names.join(", ")}.`;
  return first;
}
