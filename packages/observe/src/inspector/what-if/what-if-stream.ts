import type { ServerResponse } from "node:http";
import { REPLAY_POLICIES } from "../../replay/policies.ts";
import { findReplayModel, replayModels } from "../../replay/replay-model.ts";
import type { IndexedSession } from "../open-sessions.ts";
import { type ReplayReport, replaySession } from "../replay-session.ts";
import { MAX_CHARACTERS, toRecorded } from "./to-recorded.ts";

/** More at once would take all processors of the machine. */
const MAX_POLICIES = 6;

/** What a what-if can be asked about: the policies and the models that the simulator knows. */
export function whatIfChoices(): unknown {
  return {
    policies: REPLAY_POLICIES.map(({ name, about, kind }) => ({ name, about, kind })),
    models: replayModels(),
  };
}

/** Sends the figures of a session under other policies, as they are there. The session itself is only read. */
export async function sendWhatIf(
  response: ServerResponse,
  { inspected }: Pick<IndexedSession, "inspected">,
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<void> {
  const send = ({ kind, ...told }: ReplayReport): void => {
    if (!response.destroyed) response.write(`event: ${kind}\ndata: ${JSON.stringify(told)}\n\n`);
  };
  const known = REPLAY_POLICIES.map(({ name }) => name);
  const policies = [...new Set(query.getAll("policy"))].filter((name) => known.includes(name)).slice(0, MAX_POLICIES);
  const asked = query.get("model") ?? "";
  const model = findReplayModel(asked) === undefined ? replayModels()[0]! : asked;
  const cacheTtl = query.get("ttl") === "1h" ? "1h" : "5m";
  response.writeHead(200, { "content-type": "text/event-stream" });
  const recorded = await toRecorded(inspected.log, inspected.session);
  if (policies.length === 0) send({ kind: "failed", why: "Choose at least one policy." });
  else if (recorded.kind === "too-large")
    send({
      kind: "failed",
      why: `The session has more than ${MAX_CHARACTERS / 1e6} million characters, too many for a replay in memory.`,
    });
  else await replaySession({ entries: recorded.entries, policies, model, cacheTtl }, send, signal);
  response.end();
}
