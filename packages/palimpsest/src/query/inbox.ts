import type { Session } from "../session/session.ts";
import type { NewContent } from "../session/to-contents.ts";

/** Where messages wait that come while a turn runs. It is looked into before every request. */
export interface Inbox {
  /** What waits, oldest first. It stays there until it is `taken`. */
  waiting(): readonly NewContent[] | Promise<readonly NewContent[]>;
  /** So many of those are in the log now. Not called if they could not be kept: nothing is lost between here and there. */
  taken(count: number): void | Promise<void>;
}

/** An inbox in memory: what the user types while the model works. */
export interface MemoryInbox extends Inbox {
  push(...content: readonly NewContent[]): void;
}

export function createInbox(): MemoryInbox {
  const content: NewContent[] = [];
  return {
    push: (...more) => void content.push(...more),
    waiting: () => [...content],
    taken: (count) => void content.splice(0, count),
  };
}

/** Appends what waits; says how much it was. */
export async function takeNew(
  inbox: Inbox | undefined,
  session: Pick<Session<never, never>, "append">,
): Promise<number> {
  const waiting = (await inbox?.waiting()) ?? [];
  if (waiting.length === 0) return 0;
  await session.append(...waiting);
  await inbox?.taken(waiting.length);
  return waiting.length;
}
