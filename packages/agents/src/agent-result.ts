import type { AgentEnded } from "palimpsest/core";
import { marked, RESULT } from "./data-marks.ts";

/** How an agent ended, and what it said at its end or why it did not. */
export interface AgentEnd {
  readonly outcome: AgentEnded["outcome"];
  readonly text: string;
}

export interface EndedAgent extends AgentEnd {
  readonly id: string;
  readonly name?: string;
}

export interface ResultBudget {
  /** For one. */
  readonly resultCharacters: number;
  /** For all that are told of together. */
  readonly resultsCharacters: number;
}

/** Below this a report says nothing any more. */
const LEAST_CHARACTERS = 500;

/** What the model is told of agents that have ended, one text each: what is too long is cut in its middle. Pure. */
export function resultTexts(ended: readonly EndedAgent[], budget: ResultBudget): readonly string[] {
  const share = Math.floor(budget.resultsCharacters / Math.max(1, ended.length));
  const most = Math.max(LEAST_CHARACTERS, Math.min(budget.resultCharacters, share));
  return ended.map(({ id, name, outcome, text }) =>
    marked(RESULT, { id, ...(name === undefined ? {} : { name }), outcome }, shortened(text, most, id)),
  );
}

function shortened(text: string, most: number, id: string): string {
  if (text.length <= most) return text;
  const part = Math.floor(most / 2);
  const left = text.length - 2 * part;
  const where = `[${left} characters are left out here: Agent with command "read" and id "${id}" shows them]`;
  return `${text.slice(0, part)}\n${where}\n${text.slice(-part)}`;
}
