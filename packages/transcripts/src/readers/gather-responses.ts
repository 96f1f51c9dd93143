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

/** What a session consists of, response by response. */
export type RecordedStep =
  | RecordedSession
  | RecordedResponse
  /** Of anybody but the model. */
  | RecordedMessage
  | RecordedCompaction
  | RecordedMicrocompaction
  | RecordedDamage;

/** A response as a whole: its messages, and what it used. */
export interface RecordedResponse {
  readonly kind: "response";
  readonly responseId: string;
  readonly branch: RecordedBranch;
  /** When its request could leave: the time of the newest message before it that is not the model's. */
  readonly sentAtMs: number;
  /** Of its first message. */
  readonly atMs: number;
  readonly model?: string;
  /** Empty, if only its usage was recorded. */
  readonly messages: readonly RecordedMessage[];
  readonly usage?: RecordedUsage;
}

/**
 * Puts together what belongs to one response. In the record its messages, the results of its calls and its usage may stand in
 * any order, and some agents write the usage down with the next response; here a response comes whole, and before the results.
 * Holds one round at a time. Of subagents in the same file there is only what they used.
 */
export async function* gatherResponses(entries: AsyncIterable<RecordedEntry>): AsyncGenerator<RecordedStep> {
  let held:
    | { first: RecordedMessage; messages: RecordedMessage[]; usage?: RecordedUsage; sentAtMs: number }
    | undefined;
  /** What came while a response was held: it goes behind it. */
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
        ...(model === undefined ? {} : { model }),
        ...(usage === undefined ? {} : { usage }),
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
        // Without anything said since the last response, it was sent when it was answered.
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

/** A response of which only the usage is recorded. */
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
    ...(model === undefined ? {} : { model }),
  };
}
