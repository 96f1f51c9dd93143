import type { Events } from "@palimpsest/coordination";
import type { ServerEvent } from "../http/route.ts";

/** The events of a session for a client. @param wanted the offset of the last event that it has, or "newest"; undefined for all */
export async function* watchSession(
  events: Pick<Events, "read" | "watch">,
  session: string,
  wanted: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const newest = wanted === "newest" ? (await events.read(session, { limit: 1 })).newestOffset : undefined;
  const after = newest ?? (wanted === undefined ? undefined : Number(wanted));
  for await (const one of events.watch(session, { signal, after })) {
    if (one.kind === "event") {
      yield { id: String(one.offset), name: kindOf(one.event), data: one.event };
      continue;
    }
    const { oldestOffset, newestOffset } = one;
    const advice = `Events between your last one and ${oldestOffset} are gone. List the messages (GET /v1/sessions/${session}/messages) to see what came of them. The stream continues with event ${oldestOffset}.`;
    yield { name: "too-old", data: { kind: "too-old", oldestOffset, newestOffset, advice } };
  }
}

/** Names of events stand on a line of their own. */
function kindOf(event: unknown): string {
  const { kind } = (event ?? {}) as { readonly kind?: unknown };
  return typeof kind === "string" && /^[\w-]+$/.test(kind) ? kind : "message";
}
