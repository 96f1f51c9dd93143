import { asObject, asString } from "palimpsest/schema";
import { sha256 } from "palimpsest/store-parts";

/** Names a transcript, as the SDK does. */
export interface SessionKey {
  readonly projectKey: string;
  readonly sessionId: string;
  /** Of a subagent's transcript. */
  readonly subpath?: string;
}

/** The name under which metadata of a log have whose transcript it holds. */
const METADATA = "claudeAgentSdk";
const DIGEST_LENGTH = 16;
/** Ids of the SDK are UUIDs. Others may have characters that a store does not take. */
const PLAIN_ID = /^[\w-]{1,40}$/;

/** Ids of the logs of a project begin with it. */
export function projectPrefix(projectKey: string): string {
  return `claude-${digest(projectKey)}-`;
}

/** The id of the log that holds a transcript. Those of subagents begin with the id of their session's. */
export function logId({ projectKey, sessionId, subpath }: SessionKey): string {
  const session = PLAIN_ID.test(sessionId) ? sessionId : digest(sessionId);
  return `${projectPrefix(projectKey)}${session}${subpath === undefined ? "" : `.${digest(subpath)}`}`;
}

/** What a log's metadata say about its transcript. */
export interface KeptTranscript {
  readonly session: string;
  readonly subpath?: string;
  readonly updatedAtMs: number;
}

export function toMetadata({ sessionId, subpath }: SessionKey, updatedAtMs: number): Record<string, unknown> {
  return { [METADATA]: { session: sessionId, updatedAtMs, subpath } };
}

export function fromMetadata(metadata: unknown): KeptTranscript | undefined {
  const kept = asObject(asObject(metadata)?.[METADATA]);
  return asString(kept?.["session"]) === undefined ? undefined : (kept as unknown as KeptTranscript);
}

function digest(text: string): string {
  return sha256(text).slice(0, DIGEST_LENGTH);
}
