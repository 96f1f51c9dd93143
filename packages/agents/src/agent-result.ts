import { type AgentEnded, type AgentWay, withinTag } from "palimpsest/inspect";
import { RESULT } from "./data-marks.ts";

/** How a run of an agent ended: its report, or why there is none. */
export interface AgentEnd {
  readonly outcome: Exclude<AgentEnded["outcome"], "idle">;
  readonly text: string;
}

export interface EndedAgent extends Pick<AgentEnd, "text"> {
  readonly outcome: AgentEnded["outcome"];
  readonly id: string;
  readonly name?: string;
}

export interface ResultBudget {
  /** The limit for one report. */
  readonly resultCharacters: number;
  /** The limit for all reports together. */
  readonly resultsCharacters: number;
}

/** A shorter report is useless. */
const LEAST_CHARACTERS = 500;

/** What an agent is after a run: a teammate that has reported is idle. */
export function outcomeOf(way: AgentWay, { outcome }: Pick<AgentEnd, "outcome">): AgentEnded["outcome"] {
  return way === "teammate" && outcome === "done" ? "idle" : outcome;
}

/** Renders the reports of finished agents for the model, one text each: a text that is too long is cut in its middle. Pure. */
export function resultTexts(ended: readonly EndedAgent[], budget: ResultBudget): readonly string[] {
  const share = Math.floor(budget.resultsCharacters / Math.max(1, ended.length));
  const most = Math.max(LEAST_CHARACTERS, Math.min(budget.resultCharacters, share));
  return ended.map(({ id, name, outcome, text }) =>
    withinTag(RESULT, { id, ...(name === undefined ? {} : { name }), outcome }, shortened(text, most, id)),
  );
}

function shortened(text: string, most: number, id: string): string {
  if (text.length <= most) return text;
  const part = Math.floor(most / 2);
  const left = text.length - 2 * part;
  const where = `[${left} characters are left out here: Agent with command "read" and id "${id}" shows them]`;
  return `${text.slice(0, part)}\n${where}\n${text.slice(-part)}`;
}
