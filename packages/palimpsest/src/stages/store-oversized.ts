import type { Draft } from "../log/entry.ts";
import type { ToolDefinition } from "../log/payload.ts";
import { toDraft } from "../log/to-draft.ts";
import { NOTHING_TO_DO, type StageContext, type StageDecision } from "../policy/stage.ts";
import { recallOf } from "../recall/recall.ts";
import type { StoringFailed } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import { estimateTokens } from "../size/calibration.ts";
import { storeAggregate } from "../store-results/stage.ts";
import type { MessageItem } from "../view/item.ts";
import { headTools } from "../view/offer-tools.ts";
import type { StoringFailure } from "./store-results/content.ts";
import type { StoringOptions } from "./store-results/storing-options.ts";

/**
 * The share of the space before a compaction that the results of one round may take: otherwise the compaction would remove
 * them.
 */
const ROUND_SHARE = 0.5;

/** Stores the largest results of a round that is too large, until the rest fits. */
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

/** @param tools the properties of the tools whose results these are */
export function storingOptions(settings: Settings, tools: readonly ToolDefinition[] = []): StoringOptions {
  return {
    boundedTools: headTools(tools).flatMap(({ name, resultSize }) => (resultSize === "bounded" ? [name] : [])),
    thresholdCharacters: settings["toolResults.thresholdCharacters"],
    aggregateCharacters: settings["toolResults.aggregateCharacters"],
    messageCharacters: settings["toolResults.userMessageCharacters"],
    perTool: settings["toolResults.thresholdByTool"],
    recall: recallOf(tools),
  };
}

export function storingFailed({ error, bytes, shown }: StoringFailure): StoringFailed {
  return { kind: "storing-failed", bytes, error: error.message, shown };
}

/** The user is notified that something could not be stored; the model sees the part that was kept. */
export function failureNotice({ error, bytes, keptCharacters, shown }: StoringFailure): Draft {
  const because = error instanceof Error ? error.message : String(error);
  const seen = shown === "all" ? "all of it" : `its first ${keptCharacters} characters`;
  const text = `A result of ${bytes} bytes could not be stored (${because}): the model sees ${seen}.`;
  return toDraft("message", { role: "user", origin: "host", audience: "user", blocks: [{ kind: "text", text }] });
}
