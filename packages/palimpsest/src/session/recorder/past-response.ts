import type { Block } from "../../log/block.ts";
import type { Draft } from "../../log/entry.ts";
import type { CacheTtl, MessagePayload } from "../../log/payload.ts";
import { toDraft } from "../../log/to-draft.ts";
import type { UsageTokens } from "../../log/usage-tokens.ts";
import type { KnownModel } from "../../providers/known-models.ts";
import { estimateTokens } from "../../size/calibration.ts";
import type { SessionState } from "../../state/state.ts";
import { addFeatures, featuresOf, NO_FEATURES } from "../../tokens/features.ts";
import { sizeTokens, type View } from "../../view/view.ts";
import { describeNextRequest } from "../describe-next-request.ts";
import { wholeTokens } from "../whole-tokens.ts";

/** Tokens of one response, as they were recorded. */
export interface PastTokens extends UsageTokens {
  /** A `provisional` count was taken before the response ended: an estimate of what it said takes its place. */
  readonly outputCount: "final" | "provisional";
}

/** A response of the model, with the request that it answers. */
export interface PastResponse {
  readonly sentAtMs: number;
  readonly atMs: number;
  /** A message without blocks is not written: only its usage is. */
  readonly message: MessagePayload;
  /** @default no usage was recorded */
  readonly usage?: PastTokens;
  readonly model: string;
  readonly known: KnownModel;
  readonly cacheTtl: CacheTtl;
}

/** The usage of a call that is no part of the conversation. */
export interface PastUsage {
  readonly atMs: number;
  readonly tokens: PastTokens;
  readonly model: string;
  readonly known: KnownModel;
  /** The name under which the ledger has it. */
  readonly source: string;
}

export interface ResponseDrafts {
  readonly request: Draft;
  /** @param answers the entry of the request */
  answer(answers: number): readonly Draft[];
}

export async function responseDrafts(state: SessionState, response: PastResponse): Promise<ResponseDrafts> {
  const { message, usage, model, known, cacheTtl } = response;
  const { log, view, ledger, configuration } = state;
  const { provider, facts, cacheEffects } = known;
  const { cache } = await describeNextRequest({
    log,
    view,
    ledger,
    configuration,
    facts,
    cacheTtl,
    asked: {},
    provider: { name: provider, ...(cacheEffects === undefined ? {} : { cacheEffects }) },
  });
  const { maxOutputTokens: maxTokens } = facts;
  return {
    request: toDraft("request", { maxTokens, estimatedTokens: sizeTokens(view), cacheTtl, cache }),
    answer: (answers) => [
      ...(message.blocks.length === 0 ? [] : [toDraft("message", { ...message, answers })]),
      ...(usage === undefined
        ? []
        : [toDraft("usage", { ...toUsage(state.view, usage, message.blocks), model, answers })]),
    ],
  };
}

export function usageDraft(view: View, { atMs, tokens, model, known, source }: PastUsage): Draft {
  const { prices } = known.facts;
  const about = { source, madeAtMs: atMs, ...(prices === undefined ? {} : { prices }) };
  return toDraft("usage", { ...toUsage(view, tokens, []), model, ...about });
}

function toUsage(view: View, { outputCount, ...tokens }: PastTokens, blocks: readonly Block[]) {
  const said = blocks.reduce((sum, block) => addFeatures(sum, featuresOf(block)), NO_FEATURES);
  const estimate = outputCount === "final" ? 0 : estimateTokens(view.calibration, said);
  return wholeTokens({ ...tokens, outputTokens: Math.max(tokens.outputTokens, estimate) });
}
