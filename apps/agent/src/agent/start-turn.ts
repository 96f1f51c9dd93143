import { waitingInbox } from "@palimpsest/agents";
import {
  type Clock,
  type Inbox,
  type NewContent,
  type QueryEvent,
  type QueryOutcome,
  query,
  type Tool,
} from "palimpsest";
import type { Agent } from "./agent.ts";

/** The options of a turn. */
export interface TurnStart {
  /** The user's message. @default none: the model continues from the current state */
  readonly prompt?: NewContent | readonly NewContent[];
  /** The user's own words in the message. @default none */
  readonly words?: string | undefined;
  readonly inbox: Inbox;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The tools of the turn. @default the agent's tools */
  readonly tools?: readonly Tool[];
  /** The maximum number of rounds. @default no limit */
  readonly maxRounds?: number | undefined;
}

/** Starts a turn of the agent, after appending changes since its last turn. */
export async function startTurn(
  agent: Agent,
  { words, prompt, tools = agent.tools, maxRounds, ...rest }: TurnStart,
): Promise<AsyncGenerator<QueryEvent, QueryOutcome>> {
  const { takeDenied: _, ...permissions } = agent.permission;
  await agent.beforeTurn(words);
  return query(agent.session, {
    ...rest,
    ...permissions,
    tools,
    afterTurn: agent.afterTurn,
    prompt,
    maxRounds,
  });
}

/** Without a screen, a turn waits this long for its agents. Agents that still run are then stopped, and can be resumed. */
const WAIT_MS = 1_800_000;

/**
 * The inbox of a turn that ends when its agents have ended, or after half an hour.
 * @param onWait called when the turn begins to wait
 */
export function untilAgentsEnd({ agents }: Agent, onWait: (text: string) => void): Inbox {
  return waitingInbox({
    agents,
    waitMs: WAIT_MS,
    onWait: (running) => onWait(`Waiting for ${running} ${running === 1 ? "agent" : "agents"}`),
  });
}

/**
 * Shows new mail when it arrives, instead of when a turn reads it. Ends when the session closes.
 * @param onWake called for mail that starts a turn, if the setting `agents.wakeOnMail` is on
 */
export async function hearMail(
  { waitForMail, session }: Pick<Agent, "waitForMail" | "session">,
  onWake: () => void = () => {},
): Promise<void> {
  while ((await waitForMail(session.signal)) === "mail")
    if (session.settings().settings["agents.wakeOnMail"] === "on") onWake();
}
