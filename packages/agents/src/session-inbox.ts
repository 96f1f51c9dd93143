import type { Inbox, InboxSession, Session, Store } from "palimpsest";
import { type AgentMessage, toAttachment } from "./agent-message.ts";
import { type AgentEnd, type EndedAgent, outcomeOf, type ResultBudget, resultTexts } from "./agent-result.ts";
import { fromAgent, RESULT } from "./data-marks.ts";
import { readReport } from "./read-report.ts";
import type { LiveAgent, Roster } from "./roster.ts";
import type { KnownAgent } from "./start-agent.ts";

export interface SessionInboxOptions {
  readonly session: Session;
  readonly store: Pick<Store, "openReader">;
  readonly roster: Roster;
  readonly limits: ResultBudget;
  /** Mail of other processes. @default no mailbox */
  readonly mail?: Inbox | undefined;
}

/** A queue for results of finished agents and messages to the session, until a turn takes them in. */
export interface SessionInbox extends Inbox {
  /** Announces that this agent's result will come through the inbox. */
  expect(agent: LiveAgent): void;
  addMessage(message: AgentMessage): void;
  /** Wakes callers that wait in `idle`. */
  change(): void;
  /** Resolves when something waits, or when no agent runs any more. */
  idle(): Promise<"waiting" | "nothing-runs">;
  /** Agents of an ended process are no longer reported. */
  forgetLost(): void;
}

export function createSessionInbox({ session, store, roster, limits, mail }: SessionInboxOptions): SessionInbox {
  /** Agents of an ended process. */
  let lost = session.background.agents().filter(({ status }) => status === "running");
  const ended: EndedAgent[] = [];
  const messages: AgentMessage[] = [];
  const unreported = new Set<LiveAgent>();
  let changed = Promise.withResolvers<void>();
  const change = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const hasWaiting = (): boolean => ended.length + messages.length + lost.length > 0;
  let last: Promise<unknown> = Promise.resolve();

  async function deliver(target: InboxSession): Promise<number> {
    stopTakenBack();
    ended.push(...(await Promise.all(lost.splice(0).map(lostAgent))));
    const told = [...ended];
    const texts = resultTexts(told, limits);
    let count = 0;
    for (const [at, { id, name = id, outcome }] of told.entries()) {
      const step = { id, step: "ended", outcome, told: "next-entry" } as const;
      if ((await target.background.enterAgent(step, fromAgent(RESULT, name, texts[at]!))) === "entered") count++;
      ended.splice(
        ended.findIndex((one) => one.id === id),
        1,
      );
    }
    const taken = messages.length;
    if (taken > 0) await target.append(messages.slice(0, taken).map(toAttachment), { answer: "wanted" });
    messages.splice(0, taken);
    return count + taken + ((await mail?.deliver(target)) ?? 0);
  }

  /** Its work is no longer wanted, and would keep spending. */
  function stopTakenBack(): void {
    const known = new Set(session.background.agents().map(({ id }) => id));
    for (const one of roster.live.values()) if (!known.has(one.id)) one.stop("Its work was taken back.");
  }

  async function lostAgent({ id, name, way, session: log, resumedAfter }: KnownAgent): Promise<EndedAgent> {
    const report = await readReport(store, log, resumedAfter).catch(() => undefined);
    const who = { id, name };
    if (report?.isFinal) return { ...who, outcome: outcomeOf(way, { outcome: "done" }), text: report.text };
    const why =
      "The program ended while it ran. SendMessage makes it go on from its log. A message that it has not answered may not have reached it: send it again.";
    return {
      ...who,
      outcome: "stopped",
      text: report === undefined ? why : `${why}\nWhat it said last:\n${report.text}`,
    };
  }

  return {
    // In order: each result and message is taken once.
    deliver(target) {
      const delivered = last.then(() => deliver(target));
      last = delivered.catch(() => undefined);
      return delivered;
    },
    expect(agent) {
      unreported.add(agent);
      void agent.done.then((end) => {
        unreported.delete(agent);
        ended.push(toEnded(agent, end));
        change();
      });
    },
    addMessage(message) {
      messages.push(message);
      change();
    },
    change,
    async idle() {
      while (!hasWaiting() && unreported.size > 0) await changed.promise;
      return hasWaiting() ? "waiting" : "nothing-runs";
    },
    forgetLost() {
      lost = [];
    },
  };
}

function toEnded({ id, name, way }: LiveAgent, end: AgentEnd): EndedAgent {
  return { id, name, outcome: outcomeOf(way, end), text: end.text };
}
