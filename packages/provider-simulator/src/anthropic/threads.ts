import type { Clock } from "../clock.ts";
import { invalid, type Problem } from "./problem.ts";
import type { Message, MessagesRequest } from "./request.ts";

/** A conversation held by the service is forgotten this long after its last use. */
const THREAD_LIFETIME_MS = 5 * 60_000;

/** The incompatible fields in the client library's types that the request alone shows. */
const UNSUPPORTED = ["context_management", "fallbacks"] as const;

interface Held {
  readonly request: MessagesRequest;
  readonly account: string;
  readonly expiresAtMs: number;
  /** Each answer can be continued once, and by one request at a time. */
  state: "open" | "in-flight" | "continued";
}

/**
 * Conversations that the service keeps, by the id of their newest answer, so that a request contains only new messages.
 */
export class Threads {
  readonly #clock: Clock;
  readonly #held = new Map<string, Held>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the full request that a thread request abbreviates. */
  expand(request: MessagesRequest, account: string): MessagesRequest | Problem {
    const { thread } = request;
    if (!thread) return request;
    const unsupported = UNSUPPORTED.find((field) => request[field]);
    if (unsupported !== undefined) {
      const message = `thread: \`${unsupported}\` is not supported with threads`;
      return { ...invalid(message, "thread_unsupported_request"), unsupported: [unsupported] };
    }
    if (thread.type === "create") return request;
    const held = this.#find(thread.previous_message_id, account);
    if (held === undefined) {
      const message = `thread: no thread ends in ${thread.previous_message_id}`;
      return { status: 404, type: "not_found_error", message, code: "thread_not_found" };
    }
    if (held.state === "continued")
      return invalid("thread: this response was continued already", "thread_already_continued");
    if (held.state === "in-flight")
      return invalid("thread: another request is continuing this response", "thread_continue_in_flight");
    const changed = changedFields(request, held.request);
    if (changed.length > 0) {
      return invalid(
        `thread: these fields differ from the thread: ${changed.join(", ")}`,
        "thread_fingerprint_mismatch",
      );
    }
    const { system, tools } = held.request;
    return {
      ...request,
      ...(system === undefined ? {} : { system }),
      ...(tools === undefined ? {} : { tools }),
      messages: [...held.request.messages, ...request.messages],
    };
  }

  /** From here until the answer begins, no other request may continue the same response. */
  begin(request: MessagesRequest, account: string): void {
    this.#move(request, account, "in-flight");
  }

  /** Keeps the conversation for the next request, and closes the point it was continued from. */
  keep(messageId: string, request: MessagesRequest, account: string, answer: Message): void {
    if (!request.thread) return;
    this.#move(request, account, "continued");
    const held = { ...request, messages: [...request.messages, answer] };
    const expiresAtMs = this.#clock.now() + THREAD_LIFETIME_MS;
    this.#held.set(messageId, { request: held, account, expiresAtMs, state: "open" });
  }

  #move({ thread }: MessagesRequest, account: string, state: Held["state"]): void {
    const held = thread?.type === "continue" ? this.#find(thread.previous_message_id, account) : undefined;
    if (held !== undefined) held.state = state;
  }

  #find(messageId: string, account: string): Held | undefined {
    const held = this.#held.get(messageId);
    return held?.account === account && held.expiresAtMs > this.#clock.now() ? held : undefined;
  }
}

/** Fields that must stay the same across a thread may be omitted or repeated, but not changed. */
function changedFields(request: MessagesRequest, held: MessagesRequest): string[] {
  return (["model", "system", "tools"] as const).filter(
    (field) => request[field] !== undefined && JSON.stringify(request[field]) !== JSON.stringify(held[field]),
  );
}
