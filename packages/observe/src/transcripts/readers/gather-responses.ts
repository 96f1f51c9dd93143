import type {
  RecordedBranch,
  RecordedCompaction,
  RecordedDamage,
  RecordedEntry,
  RecordedMessage,
  RecordedMicrocompaction,
  RecordedSession,
  RecordedUsage,
} from "./recorded.ts";

/** One step of a session: a response, or an entry between responses. */
export type RecordedStep =
  | RecordedSession
  | RecordedResponse
  /** A message of anybody except the model. */
  | RecordedMessage
  | RecordedCompaction
  | RecordedMicrocompaction
  | RecordedDamage;

/** A complete response: its messages and its usage. */
export interface RecordedResponse {
  readonly kind: "response";
  readonly responseId: string;
  readonly branch: RecordedBranch;
  /** The earliest time of its request: that of the newest message before it that is not the model's. */
  readonly sentAtMs: number;
  /** The time of its first message. */
  readonly atMs: number;
  readonly model?: string;
  /** Empty if only its usage was recorded. */
  readonly messages: readonly RecordedMessage[];
  readonly usage?: RecordedUsage;
}

/**
 * Collects everything that belongs to one response. In the transcript, its messages, the results of its calls and its
 * usage may come in any order, and some agents record the usage with the next response. Here a response comes complete,
 * before the results. Holds one round at a time. For subagents in the same file, only their usage is returned.
 */
export async function* gatherResponses(entries: AsyncIterable<RecordedEntry>): AsyncGenerator<RecordedStep> {
  let held:
    | { first: RecordedMessage; messages: RecordedMessage[]; usage?: RecordedUsage; sentAtMs: number }
    | undefined;
  /** Messages that arrived while a response was held; they follow it. */
  let behind: RecordedMessage[] = [];
  let inputAtMs = 0;

  function* settle(): Generator<RecordedStep> {
    if (held !== undefined) {
      const { first, messages, usage, sentAtMs } = held;
      const { responseId = first.id, branch, atMs } = first;
      const model = messages.find((message) => message.model !== undefined)?.model ?? usage?.model;
      yield {
        kind: "response",
        responseId,
        branch,
        atMs,
        sentAtMs,
        messages,
        model,
        usage,
      };
    }
    held = undefined;
    yield* behind;
    behind = [];
  }

  for await (const entry of entries) {
    if (entry.kind === "session" || entry.kind === "damage") {
      yield entry;
    } else if (entry.branch === "sidechain") {
      if (entry.kind === "usage") yield alone(entry, entry.atMs);
    } else if (entry.kind === "usage") {
      if (held?.first.responseId === entry.responseId) held.usage = entry;
      else {
        yield* settle();
        yield alone(entry, inputAtMs || entry.atMs);
      }
    } else if (entry.kind === "message" && entry.origin === "model") {
      if (held !== undefined && held.first.responseId === entry.responseId) held.messages.push(entry);
      else {
        yield* settle();
        // Without a message since the last response, the time of the answer is used.
        held = { first: entry, messages: [entry], sentAtMs: inputAtMs || entry.atMs };
        inputAtMs = 0;
      }
    } else if (entry.kind === "message") {
      inputAtMs = Math.max(inputAtMs, entry.atMs);
      if (held === undefined) yield entry;
      else behind.push(entry);
    } else {
      yield* settle();
      yield entry;
    }
  }
  yield* settle();
}

/** Returns a response of which only the usage is recorded. */
function alone(usage: RecordedUsage, sentAtMs: number): RecordedResponse {
  const { responseId, branch, atMs, model } = usage;
  return {
    kind: "response",
    responseId,
    branch,
    atMs,
    sentAtMs,
    messages: [],
    usage,
    model,
  };
}
