// Tools that the engine offers to the model, and the usage of child sessions in the ledger of their parent.

import { CALL_TOOL, type Part, TOOL_SEARCH } from "../log/block.ts";
import { PROPOSAL } from "../policy/rules/when.ts";
import { readRecallInput, recalledText, recallTool } from "../recall/recall.ts";
import { list, object, optional, text } from "../schema/schema.ts";
import type { Tool } from "../schema/tool.ts";
import type { Session } from "../session/session.ts";
import type { UsageOfOthers } from "../state/responses.ts";
import { headTools } from "../view/tool-search.ts";
import type { QueryEvent } from "./permission.ts";

/** Returns the search tools of a session with deferred tools; none for other sessions. */
export function toolsForSearch({ view }: Pick<Session, "view">): readonly Tool[] {
  const runs: Readonly<Record<string, (input: unknown) => readonly Part[] | string>> = {
    [TOOL_SEARCH]: view.searchTools,
    // A call through this tool counts as a call of the tool in its input. This answer is for calls without a tool.
    [CALL_TOOL]: () => `Give the name of a tool that ${TOOL_SEARCH} has loaded, and its input.`,
  };
  const offered = headTools(view.deferredTools().offered, "own").filter(({ name }) => Object.hasOwn(runs, name));
  return offered.map(({ name, description = "", inputSchema }) => ({
    name,
    description,
    inputSchema,
    concurrency: "safe",
    repeat: "free",
    sideEffects: "none",
    execute: runs[name]!,
  }));
}

/** Whether a tool is deferred and not loaded: no result in view contains its definition. */
export function isUnloaded({ view }: Pick<Session, "view">, tool: string): boolean {
  const { offered, loaded } = view.deferredTools();
  return offered.some(({ name }) => name === tool) && !loaded.has(tool);
}

/** Creates the tool that lets the model read back content that was stored, cleared or compacted in this session. */
export function recallFrom(session: Pick<Session, "recall">): Tool {
  const { name, description = "", inputSchema } = recallTool;
  return {
    name,
    description,
    inputSchema,
    concurrency: "safe",
    repeat: "free",
    resultSize: "bounded",
    execute: async (asked) => recalledText(await session.recall(readRecallInput(asked))),
  };
}

/** The marks of a session have a limited size. */
const MAX_KEPT = 20;

/**
 * Creates the tool with which the model proposes a compaction between two pieces of work. The proposal counts if the policy has the
 * rule `whenProposed`, and if the compaction saves money. The summary is told what comes next and what to keep.
 */
export function compactTool(
  session: Pick<Session, "mark">,
): Tool<{ readonly next: string; readonly keep?: readonly string[] }> {
  return {
    name: PROPOSAL,
    description:
      "Proposes to compact the conversation into a summary now, because a piece of work is finished and the next one needs little " +
      "of its details. Call it alone, after the results of all other calls. The conversation is compacted only if that saves money.",
    inputSchema: object({
      next: text("What you do next, in a sentence or two.", { maxLength: 1_000 }),
      keep: optional(
        list(
          text(undefined, { maxLength: 200 }),
          `Names, figures and decisions that the next work needs, at most ${MAX_KEPT}.`,
        ),
      ),
    }),
    repeat: "free",
    sideEffects: "none",
    resultSize: "bounded",
    async execute({ next, keep = [] }) {
      await session.mark(PROPOSAL, { next, keep: keep.slice(0, MAX_KEPT) });
      return "Proposed. If the conversation is compacted, a summary takes the place of everything before your next step.";
    },
  };
}

/** A parent session, its child, and whether the parent already records the child's responses. */
export interface ChargeOptions {
  readonly parent: Pick<Session, "ledger">;
  readonly child: Pick<Session, "id" | "history" | "ledger">;
  /** The name of the child in the parent's ledger. */
  readonly source: string;
  /** `already`: the child is a fork that its parent opened, and records its responses with the parent itself. */
  readonly responses: "entered-here" | "already";
}

/** Records the usage of a child session in its parent's ledger. */
export interface Charge {
  onEvent(event: QueryEvent): void;
  /** Records the remaining usage: the child's compactions, notes and questions. */
  finish(): Promise<void>;
}

/** Records the usage of a child session in its parent's ledger, response by response. */
export function chargeParent({ parent, child, source, responses }: ChargeOptions): Charge {
  const begunAt = child.history.newestEntry;
  let last: Promise<unknown> = Promise.resolve();
  // A closed parent accepts no records. The child's own ledger has all of them.
  const enter = (used: UsageOfOthers): void => {
    last = last.then(() => parent.ledger.enter(used)).catch(() => undefined);
  };
  return {
    onEvent(event) {
      if (event.kind !== "response" || responses === "already") return;
      const { responseId, model, usage } = event.response;
      enter({ responseId, model, ...usage, source });
    },
    async finish() {
      for await (const line of child.ledger.lines()) {
        // Responses in the child's own conversation are already recorded by `onEvent`.
        if (line.usage <= begunAt || line.request !== undefined) continue;
        const { model, freshTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens, outputTokens } = line;
        enter({
          responseId: `${child.id}:${line.usage}`,
          model,
          source,
          freshTokens,
          cacheReadTokens,
          cacheWriteTokens,
          outputTokens,
          cacheWrite1hTokens,
        });
      }
      await last;
    },
  };
}
