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

export interface TurnStart {
  /** What the user says. @default nothing: the model continues from the current state */
  readonly prompt?: NewContent | readonly NewContent[];
  /** The user's words in it. @default none */
  readonly words?: string | undefined;
  readonly inbox: Inbox;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** @default the agent's tools */
  readonly tools?: readonly Tool[];
  /** @default no limit */
  readonly maxRounds?: number | undefined;
}

/** Starts a turn of the agent, after telling the model what has changed since its last turn. */
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
    ...(prompt === undefined ? {} : { prompt }),
    ...(maxRounds === undefined ? {} : { maxRounds }),
  });
}
