import { estimateUsage } from "../cost/cost.ts";
import { lineOf } from "../cost/line.ts";
import { toDraft } from "../log/draft.ts";
import { attachment } from "../log/messages.ts";
import type { MessagePayload, UsagePayload } from "../log/payload.ts";
import { HOST } from "../log/provenance.ts";
import type { ReportedUsage } from "../providers/provider.ts";
import { estimateTokens } from "../size/calibration.ts";
import { featuresOf } from "../size/features.ts";
import type { SessionCore } from "../state/core.ts";
import type { IssuedRequests } from "../state/ports.ts";
import { wholeTokens } from "../state/responses.ts";
import type { SessionState } from "../state/state.ts";
import { INTERRUPTED } from "../view/turn.ts";

/** An answer that was stopped before it was whole, as far as it had arrived. `createPartialAnswer` collects one. */
export interface InterruptedAnswer {
  /** What the model had said. It stays in view. */
  readonly text: string;
  /** Names of the tools that it had begun to call. They were not run, and the calls are left out. @default none */
  readonly calls?: readonly string[];
  /** Characters of thinking and of tool inputs that had arrived: paid for, and never sent back. @default 0 */
  readonly unshownCharacters?: number;
  readonly responseId?: string;
  readonly model?: string;
  /** What the provider had reported. @default the price is estimated */
  readonly usage?: ReportedUsage;
}

export interface InterruptionOptions {
  /** `left-out`: the request is sent again; the answer is void, and only its price is entered. @default "kept" */
  readonly view?: "kept" | "left-out";
}

/** What an interrupted answer has cost. */
export interface RecordedInterruption {
  /** Absent if nothing had arrived: then nobody knows whether it was billed. */
  readonly usage?: Pick<UsagePayload, "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "outputTokens">;
  /** What of it is an estimate; absent if the provider reported all of it. */
  readonly estimated?: UsagePayload["estimated"];
  /** Absent where nothing had arrived, or the prices are not known. */
  readonly priceUsd?: number;
}

/** What broken streams have cost whose requests were sent again. */
const RETRIES = "retries";
/** Thinking and tool inputs are only measured. */
const CHARACTERS_PER_TOKEN = 4;

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
  const arrived = hasArrived(answer)
    ? usageOf(answer, state, { ...about, inputTokens: issued?.inputTokens ?? 0 })
    : undefined;
  const source = isKept ? fork?.source : (fork?.source ?? RETRIES);
  const used: UsagePayload | undefined = arrived && {
    responseId,
    model,
    ...wholeTokens(arrived.usage),
    ending: "interrupted",
    // A request that is sent again still waits for its answer.
    answers: isKept ? issued?.entry : undefined,
    source,
    estimated: arrived.estimated,
    prices: ports.facts.of(requestModel).prices,
  };
  const drafts = [
    ...(isKept && text.trim() !== "" ? [toDraft("message", message)] : []),
    ...(used === undefined ? [] : [toDraft("usage", used)]),
    ...(isKept ? [toDraft("attachment", attachment(INTERRUPTED, markerText(answer), HOST))] : []),
  ];
  const before = state.ledger;
  const entries = drafts.length > 0 ? await state.append(drafts) : [];
  const line = used && lineOf(before, entries.at(isKept ? -2 : -1)!, used, ports.clock.now());
  const counts = used && countsOf(used);
  const price = { estimated: arrived?.estimated, priceUsd: line?.priceUsd };
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
  if (used !== undefined) {
    const { answers: _, source: __, prices: ___, ...use } = used;
    await fork?.watch?.interrupted(use);
  }
  return { usage: counts, ...price };
}

type Counts = Omit<UsagePayload, "responseId" | "model">;

/** The usage of an answer: as the provider has reported it, and an estimate of the rest. */
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

function hasArrived({ text, calls = [], unshownCharacters = 0, responseId, usage }: InterruptedAnswer): boolean {
  return text !== "" || calls.length > 0 || unshownCharacters > 0 || responseId !== undefined || usage !== undefined;
}

/** Belongs to the prompt: it is read by the model. */
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
