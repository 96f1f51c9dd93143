import type { RangeToCompact } from "../../compact/plan.ts";
import type { CacheTtl } from "../../log/payload.ts";
import type { Provider } from "../../providers/provider.ts";
import { present } from "../../schema/json-fields.ts";
import { clampMaxTokens } from "../../size/budget.ts";
import { createRendering } from "../../state/rendering.ts";
import type { FlatMessage } from "../../view/flat-message.ts";
import type { FlattenRules } from "../../view/flatten-segment.ts";
import type { Item, Seal } from "../../view/item.ts";
import { offerTools } from "../../view/offer-tools.ts";
import { CONTINUE } from "../../view/texts.ts";
import type { Snapshot } from "../snapshot.ts";

export interface CompactionRequestParts {
  readonly session: string;
  readonly snapshot: Snapshot;
  readonly range: RangeToCompact;
  readonly rules: FlattenRules;
  /** The most that may be answered, if nothing was sent yet. */
  readonly maxOutputTokens: number;
  /** What the provider is told in place of its own words. */
  readonly instructions: string | undefined;
}

/**
 * Asks the provider to fold what is to be folded: the newest request, with what came since. Its beginning is the same, so it
 * is read from the cache; its end is not marked, because nobody will ask for it again. Undefined if it takes no such request.
 */
export function compactionRequest<Request, Message>(
  provider: Provider<Request, unknown, Message>,
  { session, snapshot, range, rules, maxOutputTokens, instructions }: CompactionRequestParts,
): Request | undefined {
  const { view, items, configuration, budget, sizeTokens } = snapshot;
  const { model, system, tools, parameters } = configuration;
  const folded = items.slice(0, items.findLastIndex(({ to }) => to <= range.to) + 1);
  const newest = folded.findLast((item): item is Seal => item.kind === "seal");
  const wantedTokens = newest?.maxTokens ?? maxOutputTokens;
  const maxTokens = clampMaxTokens({ windowTokens: budget.windowTokens, sizeTokens, wantedTokens });
  const seal: Seal = { kind: "seal", from: range.to, to: range.to, maxTokens };
  const rendering = createRendering(provider, rules);
  const { messages, marks, loaded } = rendering.update({ ...view, items: [...folded, seal], unchangedItems: 0 });
  const leftOut = isOnlyContinue(rendering.flat.at(-1), folded)
    ? provider.renderMessage(rendering.flat.at(-1)!).length
    : 0;
  const cacheTtl: CacheTtl = newest?.cacheTtl ?? "5m";
  const request = provider.renderRequest({
    model,
    system,
    ...offerTools(tools, loaded, rules.toolSearch ?? "native"),
    parameters,
    cacheTtl,
    ...present({ headTtl: newest?.headTtl }),
    maxTokens,
    session,
    messages: messages.slice(0, messages.length - leftOut),
    marks: marks.slice(0, -1),
  });
  return provider.renderCompaction?.(request, instructions === undefined ? {} : { instructions });
}

/** The last message is not the user's: it was put there because a request for an answer has to end with one. */
function isOnlyContinue(last: FlatMessage | undefined, items: readonly Item[]): boolean {
  const said = items.findLast((item) => item.kind === "message");
  const [block, ...more] = last?.blocks ?? [];
  return said?.role === "assistant" && more.length === 0 && block?.kind === "text" && block.text === CONTINUE;
}
