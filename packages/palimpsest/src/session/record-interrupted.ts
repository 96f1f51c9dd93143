// Records answers that were stopped before their end: either text and marker stay in view, or only the price is recorded.

import { estimateUsage } from "../cost/cost.ts";
import { lineOf } from "../cost/fold.ts";
import { toDraft } from "../log/entry.ts";
import { attachment } from "../log/messages.ts";
import type { MessagePayload, UsagePayload } from "../log/payload.ts";
import { HOST } from "../log/provenance.ts";
import type { ReportedUsage } from "../providers/provider.ts";
import { estimateTokens, featuresOf } from "../size/calibration.ts";
import type { SessionCore } from "../state/core.ts";
import type { IssuedRequests } from "../state/ports.ts";
import { wholeTokens } from "../state/responses.ts";
import type { SessionState } from "../state/state.ts";
import { INTERRUPTED } from "../view/turn.ts";

/** The source of usage of broken streams whose requests were sent again. */
const RETRIES = "retries";
/** An estimate for thinking and tool inputs. */
const CHARACTERS_PER_TOKEN = 4;

/** The part of an answer that arrived before the answer was stopped. `createPartialAnswer` collects it. */
export interface InterruptedAnswer {
  /** The text so far. It stays in view, unless `view` is `left-out`. */
  readonly text: string;
  /**
   * Names of the tools that the model had begun to call. They were not run, and the calls are left out. @default none
   */
  readonly calls?: readonly string[];
  /**
   * The number of characters of thinking and tool inputs that arrived. They are billed, and never sent back. @default 0
   */
  readonly unshownCharacters?: number;
  readonly responseId?: string;
  readonly model?: string;
  /** The usage that the provider had reported. @default the price is estimated */
  readonly usage?: ReportedUsage;
}

export interface InterruptionOptions {
  /**
   * `left-out`: only the price of the answer is recorded, because the request is sent again, or because nothing of the answer was
   * shown. @default "kept"
   */
  readonly view?: "kept" | "left-out";
}

/** The cost of an interrupted answer. */
export interface RecordedInterruption {
  /** Absent if nothing had arrived. It is then unknown whether the request was billed. */
  readonly usage?: Pick<UsagePayload, "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "outputTokens">;
  /** The estimated part of the usage. Absent if the provider reported all of it. */
  readonly estimated?: UsagePayload["estimated"];
  /** Absent if nothing had arrived or the prices are unknown. */
  readonly priceUsd?: number;
}

/** The parts of a session that recording needs. */
interface RecordParts extends SessionCore {
  readonly outlet: Pick<IssuedRequests, "answeredBy">;
}

/** Records an answer that was stopped before its end: its text and a marker in the view, its price in the ledger. */
export async function recordInterrupted(
  { ports, state, fork, outlet }: RecordParts,
  answer: InterruptedAnswer,
  request?: unknown,
  { view = "kept" }: InterruptionOptions = {},
): Promise<RecordedInterruption> {
  const issued = outlet.answeredBy(request);
  const requestModel = issued?.model ?? state.configuration.model;
  const { text, calls = [], responseId = `interrupted-${issued?.entry ?? 0}`, model = requestModel } = answer;
  const isKept = view === "kept";
  const message: MessagePayload = {
    role: "assistant",
    origin: "model",
    blocks: [{ kind: "text", text }],
    responseId,
    model,
    provider: ports.provider.name,
    answers: issued?.entry,
  };
  const about = { request: issued?.entry, source: fork?.source ?? "main", nowMs: ports.clock.now() };
  const estimate = hasArrived(answer)
    ? usageOf(answer, state, { ...about, inputTokens: issued?.inputTokens ?? 0 })
    : undefined;
  const source = isKept ? fork?.source : (fork?.source ?? RETRIES);
  const usage: UsagePayload | undefined = estimate && {
    responseId,
    model,
    ...wholeTokens(estimate.usage),
    ending: "interrupted",
    // A request that is sent again still waits for its answer.
    answers: isKept ? issued?.entry : undefined,
    source,
    estimated: estimate.estimated,
    prices: ports.facts.of(requestModel).prices,
  };
  const drafts = [
    ...(isKept && text.trim() !== "" ? [toDraft("message", message)] : []),
    ...(usage === undefined ? [] : [toDraft("usage", usage)]),
    ...(isKept ? [toDraft("attachment", attachment(INTERRUPTED, markerText(answer), HOST))] : []),
  ];
  const before = state.ledger;
  const entries = drafts.length > 0 ? await state.append(drafts) : [];
  const line = usage && lineOf(before, entries.at(isKept ? -2 : -1)!, usage, ports.clock.now());
  const counts = usage && countsOf(usage);
  const price = { estimated: estimate?.estimated, priceUsd: line?.priceUsd };
  ports.emit({
    kind: "answer-interrupted",
    source: source ?? "main",
    provider: ports.provider.name,
    requestModel,
    model,
    responseId,
    view,
    text,
    calls,
    used: counts,
    ...price,
  });
  if (usage !== undefined && line !== undefined) {
    const { answers: _, source: __, prices: ___, ...used } = usage;
    await fork?.watch?.interrupted(used, line);
  }
  return { usage: counts, ...price };
}

function hasArrived({ text, calls = [], unshownCharacters = 0, responseId, usage }: InterruptedAnswer): boolean {
  return text !== "" || calls.length > 0 || unshownCharacters > 0 || responseId !== undefined || usage !== undefined;
}

type Counts = Omit<UsagePayload, "responseId" | "model">;

/** Computes the usage of an answer from the provider's report and an estimate of the rest. */
function usageOf(
  { text, usage: reported, unshownCharacters = 0 }: InterruptedAnswer,
  { view, ledger }: SessionState,
  { inputTokens, ...about }: { request: number | undefined; source: string; nowMs: number; inputTokens: number },
): { readonly usage: Counts; readonly estimated: UsagePayload["estimated"] } {
  const { calibration, featureOptions } = view;
  const written = text === "" ? 0 : estimateTokens(calibration, featuresOf({ kind: "text", text }, featureOptions));
  const outputTokens = written + Math.ceil(unshownCharacters / CHARACTERS_PER_TOKEN);
  if (reported === undefined) {
    return { usage: { ...estimateUsage(ledger, about, inputTokens), outputTokens }, estimated: "all" };
  }
  if (reported.outputTokens === undefined) return { usage: { ...reported, outputTokens }, estimated: "output" };
  return { usage: { ...reported, outputTokens: reported.outputTokens }, estimated: undefined };
}

/** The text is part of the prompt: the model reads it. */
function markerText({ text, calls = [] }: InterruptedAnswer): string {
  const what =
    text.trim() === ""
      ? "You were interrupted here, before you had said anything."
      : "Your answer above was interrupted here and is incomplete.";
  const names = [...new Set(calls)].filter((name) => name !== "");
  if (calls.length === 0) return what;
  const named = names.length === 0 ? "" : ` (${names.join(", ")})`;
  return `${what} The tool calls that you had begun${named} were not run.`;
}

function countsOf({ freshTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens }: UsagePayload) {
  return { freshTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens };
}
