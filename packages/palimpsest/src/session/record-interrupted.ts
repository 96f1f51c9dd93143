import { estimateUsage } from "../cost/cost.ts";
import { lineOf } from "../cost/line.ts";
import { toDraft } from "../log/draft.ts";
import { attachment } from "../log/messages.ts";
import type { MessagePayload, UsagePayload } from "../log/payload.ts";
import { HOST } from "../log/provenance.ts";
import type { ReportedUsage } from "../providers/provider.ts";
import { estimateTokens } from "../size/calibration.ts";
import { featuresOf } from "../size/features.ts";
import type { SessionContext } from "../state/context.ts";
import type { IssuedRequest, Requests } from "../state/ports.ts";
import { wholeTokens } from "../state/responses.ts";
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

export type RecordInterrupted<Request> = (
  answer: InterruptedAnswer,
  request?: Request,
  options?: InterruptionOptions,
) => Promise<RecordedInterruption>;

/** What broken streams have cost whose requests were sent again. */
const RETRIES = "retries";
/** Thinking and tool inputs are only measured. */
const CHARACTERS_PER_TOKEN = 4;

/** Enters answers that were stopped before they were whole: their words and a marker in the view, their price in the ledger. */
export function createRecordInterrupted<Request, Response, Message>(
  context: SessionContext<Request, Response, Message>,
  requests: Pick<Requests<Request>, "answeredBy">,
): RecordInterrupted<Request> {
  const { state, provider, factsOf, clock, emit, fork } = context;

  /** What the answer has used: as the provider reported, and an estimate of what it has not. */
  function usageOf(answer: InterruptedAnswer, issued: IssuedRequest | undefined) {
    const { text, usage: reported, unshownCharacters = 0 } = answer;
    const { calibration, featureOptions } = state.view;
    const written = text === "" ? 0 : estimateTokens(calibration, featuresOf({ kind: "text", text }, featureOptions));
    const outputTokens = written + Math.ceil(unshownCharacters / CHARACTERS_PER_TOKEN);
    if (reported === undefined) {
      const inputTokens = issued?.inputTokens ?? 0;
      const { ledger } = state;
      const about = { request: issued?.entry, source: fork?.source ?? "main", nowMs: clock.now() };
      return { usage: { ...estimateUsage(ledger, about, inputTokens), outputTokens }, estimated: "all" as const };
    }
    if (reported.outputTokens === undefined)
      return { usage: { ...reported, outputTokens }, estimated: "output" as const };
    return { usage: { ...reported, outputTokens: reported.outputTokens }, estimated: undefined };
  }

  return async (answer, request, { view = "kept" } = {}) => {
    const issued = requests.answeredBy(request);
    const requestModel = issued?.model ?? state.configuration.model;
    const { text, calls = [], responseId = `interrupted-${issued?.entry ?? 0}`, model = requestModel } = answer;
    const answers = issued === undefined ? {} : { answers: issued.entry };
    const isKept = view === "kept";
    const said: MessagePayload = {
      role: "assistant",
      origin: "model",
      blocks: [{ kind: "text", text }],
      responseId,
      model,
      provider: provider.name,
      ...answers,
    };
    const { usage, estimated } = hasArrived(answer) ? usageOf(answer, issued) : {};
    const { prices } = factsOf(requestModel);
    const source = isKept ? fork?.source : (fork?.source ?? RETRIES);
    const used: UsagePayload | undefined = usage && {
      responseId,
      model,
      ...wholeTokens(usage),
      ending: "interrupted",
      // A request that is sent again waits for its answer still.
      ...(isKept ? answers : {}),
      ...(source === undefined ? {} : { source }),
      ...(estimated === undefined ? {} : { estimated }),
      ...(prices === undefined ? {} : { prices }),
    };
    const drafts = [
      ...(isKept && text.trim() !== "" ? [toDraft("message", said)] : []),
      ...(used === undefined ? [] : [toDraft("usage", used)]),
      ...(isKept ? [toDraft("attachment", attachment(INTERRUPTED, markerText(answer), HOST))] : []),
    ];
    const before = state.ledger;
    const entries = drafts.length > 0 ? await state.append(drafts) : [];
    const line = used && lineOf(before, entries.at(isKept ? -2 : -1)!, used, clock.now());
    const priced = line?.priceUsd === undefined ? {} : { priceUsd: line.priceUsd };
    const recorded: RecordedInterruption = {
      ...(used === undefined ? {} : { usage: countsOf(used) }),
      ...(estimated === undefined ? {} : { estimated }),
      ...priced,
    };
    emit({
      kind: "answer-interrupted",
      source: source ?? "main",
      provider: provider.name,
      requestModel,
      model,
      responseId,
      view,
      text,
      calls,
      ...(used === undefined ? {} : { used: countsOf(used) }),
      ...(estimated === undefined ? {} : { estimated }),
      ...priced,
    });
    if (used !== undefined) {
      const { answers: _, source: __, prices: ___, ...use } = used;
      await fork?.watch?.interrupted(use);
    }
    return recorded;
  };
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
  const reasoning = reasoningTokens === undefined ? {} : { reasoningTokens };
  return { freshTokens, cacheReadTokens, cacheWriteTokens, outputTokens, ...reasoning };
}
