import { type Clock, type Inbox, withTimers } from "palimpsest";
import { aFunction, aValueOf, checkOptions, ifGiven, integer, withMethods } from "palimpsest/schema";
import type { Agents } from "./agents.ts";

/** The agents that a turn waits for, and how long it waits. */
export interface WaitingInboxOptions {
  readonly agents: Pick<Agents, "inbox" | "idle" | "list">;
  /** The turn ends after this time, also if agents still run. Stop them with `close`; a message resumes them. @default 1_800_000 */
  readonly waitMs?: number;
  /** Called with the number of agents that the turn waits for. @default none */
  readonly onWait?: (running: number) => void;
  /** @default the system's clock */
  readonly clock?: Clock;
}

/** The inbox of a turn that nobody watches: the turn ends when its agents have ended, or after the time limit. */
export function waitingInbox(options: WaitingInboxOptions): Inbox {
  checkOptions("waitingInbox", options, {
    agents: withMethods(["idle", "list"], "the agents of a session: createAgents()"),
    waitMs: ifGiven(aValueOf(integer("", { minimum: 0 }))),
    onWait: ifGiven(aFunction("a function that gets the number of running agents")),
  });
  const { agents, waitMs = 1_800_000, onWait = () => {} } = options;
  const clock = withTimers(options.clock);
  return {
    deliver: (session) => agents.inbox.deliver(session),
    async settle(signal) {
      const running = agents.list().filter(({ live }) => live !== undefined).length;
      if (running === 0) return;
      onWait(running);
      const over = new AbortController();
      const late = clock.wait(waitMs, AbortSignal.any([signal, over.signal]), "free");
      await Promise.race([agents.idle(), late]);
      over.abort();
    },
  };
}
