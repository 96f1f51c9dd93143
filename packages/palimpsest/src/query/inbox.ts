import type { Session } from "../session/session.ts";
import type { NewContent } from "../session/to-contents.ts";

/** Where messages wait that come while a turn runs. It is looked into before every request, and before the turn ends. */
export interface Inbox {
  /** Appends what waits, oldest first, and says how much it was. What could not be kept goes on waiting. */
  deliver(session: InboxSession): Promise<number>;
  /**
   * Asked when the model has nothing more to ask for: resolves once something waits that was on its way, or nothing is to be
   * waited for any more. @default the turn ends at once
   */
  settle?(signal: AbortSignal): Promise<void>;
}

export type InboxSession = Pick<Session, "append" | "background">;

/** An inbox in memory: what the user types while the model works. */
export interface MemoryInbox extends Inbox {
  push(...content: readonly NewContent[]): void;
  readonly waiting: readonly NewContent[];
}

/** Makes an inbox in memory. `push` adds content; `query` appends it to the session before its next request. */
export function createInbox(): MemoryInbox {
  const content: NewContent[] = [];
  return {
    push: (...more) => void content.push(...more),
    get waiting() {
      return [...content];
    },
    async deliver(session) {
      const count = content.length;
      if (count > 0) await session.append(content.slice(0, count));
      content.splice(0, count);
      return count;
    },
  };
}
