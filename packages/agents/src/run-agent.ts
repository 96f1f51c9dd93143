import {
  attachment,
  type Clock,
  type Inbox,
  type NewContent,
  type PermissionOptions,
  type QueryEvent,
  type QueryOutcome,
  query,
  type Session,
  type Tool,
} from "palimpsest";

import type { AgentEnd } from "./agent-result.ts";

export interface RunOptions extends Pick<PermissionOptions, "permission" | "askHost"> {
  /** The session whose hooks run when the agent starts and stops, and whose setting `agents.tokens` limits it. */
  readonly parent: Pick<Session, "id" | "events" | "settings">;
  readonly child: Session;
  readonly agentId: string;
  readonly agentType: string;
  readonly tools: readonly Tool[];
  readonly prompt: readonly NewContent[];
  /** Messages of others. */
  readonly inbox: Inbox;
  /** The maximum number of responses of a run. */
  readonly maxRounds: number;
  readonly signal: AbortSignal;
  readonly onEvent: (event: QueryEvent) => void;
  readonly clock?: Clock;
}

/** Where words of hooks come from, as in the turns of a session. */
const HOOK = { kind: "project", name: "hook" } as const;
/** How often hooks can make an agent continue, as with the turns of a session. */
const MAX_STOP_BLOCKS = 3;

/** Runs an agent until it has finished or its limits are reached. */
export async function runAgent(options: RunOptions): Promise<AgentEnd> {
  const { parent, child, signal, agentId, agentType } = options;
  const told = { sessionId: parent.id, agentId, agentType };
  const started = await parent.events.runHooks("SubagentStart", told, { signal });
  if (started.blocked !== undefined)
    return { outcome: "failed", text: `A hook is against it: ${started.blocked.reason}` };
  const context = started.outputs.flatMap(({ output }) => output.additionalContext ?? []);
  const added = context.length === 0 ? [] : [attachment("hook", context.join("\n\n"), HOOK)];

  let prompt = [...options.prompt, ...added];
  for (let blocks = 0; ; blocks++) {
    const end = await runTurn(options, prompt);
    if (end.outcome !== "done" || blocks >= MAX_STOP_BLOCKS) return end;
    const { blocked } = await parent.events.runHooks("SubagentStop", told, { signal });
    if (blocked === undefined || signal.aborted || child.signal.aborted) return end;
    prompt = [attachment("hook", blocked.reason, HOOK)];
  }
}

async function runTurn(options: RunOptions, prompt: readonly NewContent[]): Promise<AgentEnd> {
  const { parent, child, tools, inbox, maxRounds, signal, onEvent, permission, askHost, clock } = options;
  const { "agents.tokens": mostTokens } = parent.settings().settings;
  const spent = new AbortController();
  const before = paidTokens(child);
  let text = "";
  const turn = query(child, {
    tools,
    inbox,
    maxRounds,
    signal: AbortSignal.any([signal, spent.signal]),
    ...(prompt.length === 0 ? {} : { prompt }),
    permission,
    askHost,
    clock,
  });
  for (;;) {
    const { done, value } = await turn.next();
    if (done === true) {
      const used = paidTokens(child) - before;
      if (!spent.signal.aborted || signal.aborted || value.kind !== "aborted") return toEnd(value, text, signal);
      return failed(`It was ended after ${used} tokens; agents.tokens allows ${mostTokens}.`, text);
    }
    onEvent(value);
    if (value.kind !== "response") continue;
    text = value.response.text || text;
    const goesOn = value.response.calls.length > 0;
    if (goesOn && paidTokens(child) - before >= mostTokens) spent.abort();
  }
}

function toEnd(outcome: QueryOutcome, lastText: string, signal: AbortSignal): AgentEnd {
  switch (outcome.kind) {
    case "done":
      return { outcome: "done", text: outcome.text };
    case "aborted":
      return { outcome: "stopped", text: withLast(reasonOf(signal), lastText) };
    case "left":
      return { outcome: "stopped", text: withLast("Its session was closed.", lastText) };
    case "waiting":
      return failed("Its tool calls wait for permission, and nobody can give it to an agent later.", lastText);
    case "refused":
      return failed("The model declined to answer.", outcome.text);
    case "window-full":
      return failed(outcome.advice, lastText);
    case "rounds-used-up":
      return failed(`It was ended after ${outcome.rounds} responses, the maximum for one run.`, lastText);
    case "failed":
      return failed(outcome.advice ?? outcome.error.message, lastText);
  }
}

function failed(why: string, lastText: string): AgentEnd {
  return { outcome: "failed", text: withLast(why, lastText) };
}

function withLast(why: string, lastText: string): string {
  return lastText === "" ? why : `${why}\nWhat it said last:\n${lastText}`;
}

function reasonOf({ reason }: AbortSignal): string {
  return typeof reason === "string" ? reason : "It was stopped.";
}

/** Cache reads are nearly free. */
function paidTokens(session: Pick<Session, "ledger">): number {
  const { freshTokens, cacheWriteTokens, outputTokens } = session.ledger.totals();
  return freshTokens + cacheWriteTokens + outputTokens;
}
