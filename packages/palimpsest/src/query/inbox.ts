import type { Session } from "../session/session.ts";
import type { NewContent } from "../session/to-contents.ts";

/** A queue for messages that arrive while a turn runs. It is read before every request and before the turn ends. */
export interface Inbox {
  /** Appends the waiting messages, oldest first, and returns their number. A message that could not be stored keeps waiting. */
  deliver(session: InboxSession): Promise<number>;
  /**
   * Called when the model has finished: resolves once an expected message waits, or none is expected any more. @default the
   * turn ends at once
   */
  settle?(signal: AbortSignal): Promise<void>;
}

/** The parts of a session that an inbox uses. */
export type InboxSession = Pick<Session, "append" | "background">;

/** An inbox in memory, for messages that the user types while the model works. */
export interface MemoryInbox extends Inbox {
  push(...content: readonly NewContent[]): void;
  readonly waiting: readonly NewContent[];
}

/** Creates an inbox in memory. `push` adds content; `query` appends it to the session before its next request. */
export function createInbox(): MemoryInbox {
  const content: NewContent[] = [];
  return {
    push: (...more) => void content.push(...more),
    get waiting() {
      return [...content];
    },
    async deliver(session) {
      const count = content.length;
      if (count > 0) await session.append(content.slice(0, count), { answer: "wanted" });
      content.splice(0, count);
      return count;
    },
  };
}
