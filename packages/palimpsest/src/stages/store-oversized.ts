import type { Draft } from "../log/entry.ts";
import type { ToolDefinition } from "../log/payload.ts";
import { toDraft } from "../log/to-draft.ts";
import type { StoringFailed } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import { estimateTokens } from "../tokens/calibration.ts";
import type { MessageItem } from "../view/item.ts";
import { NOTHING_TO_DO, type StageContext, type StageDecision } from "./stage.ts";
import type { StoringFailure } from "./store-results/content.ts";
import { storeAggregate } from "./store-results/store-aggregate.ts";
import type { StoringOptions } from "./store-results/storing-options.ts";

/** Of the room before a compaction, the results of one round may take so much: else the compaction would take them away. */
const ROUND_SHARE = 0.5;

/** Results of one round that are too large together: the largest are stored, until the rest fits. */
export async function storeOversized(context: StageContext): Promise<StageDecision> {
  const { session, view, settings, files, budget } = context;
  if (settings["toolResults.storing"] === "off") return NOTHING_TO_DO;
  const room = {
    tokensOf: (item: MessageItem) => estimateTokens(view.calibration, item.features),
    mostTokens: Math.floor(budget.autoCompactTokens * ROUND_SHARE),
  };
  const options = { ...storingOptions(settings, view.configuration?.tools), files, session, room };
  const { decisions, stored, failures } = await storeAggregate(view.items, options);
  return {
    drafts: [...decisions.map((decision) => toDraft("replace", decision)), ...failures.map(failureNotice)],
    newEvents: [...stored, ...failures.map(storingFailed)],
  };
}

/** @param tools what they say of their results */
export function storingOptions(settings: Settings, tools: readonly ToolDefinition[] = []): StoringOptions {
  return {
    boundedTools: tools.flatMap(({ name, resultSize }) => (resultSize === "bounded" ? [name] : [])),
    thresholdCharacters: settings["toolResults.thresholdCharacters"],
    aggregateCharacters: settings["toolResults.aggregateCharacters"],
    messageCharacters: settings["toolResults.userMessageCharacters"],
    perTool: settings["toolResults.thresholdByTool"],
  };
}

export function storingFailed({ error, bytes, shown }: StoringFailure): StoringFailed {
  return { kind: "storing-failed", bytes, error: error.message, shown };
}

/** The user is told that something could not be stored; the model sees what was kept of it. */
export function failureNotice({ error, bytes, keptCharacters, shown }: StoringFailure): Draft {
  const because = error instanceof Error ? error.message : String(error);
  const seen = shown === "all" ? "all of it" : `its first ${keptCharacters} characters`;
  const text = `A result of ${bytes} bytes could not be stored (${because}): the model sees ${seen}.`;
  return toDraft("message", { role: "user", origin: "host", audience: "user", blocks: [{ kind: "text", text }] });
}
