import { setImmediate } from "node:timers/promises";
import {
  type Anthropic,
  bytesTokenizer,
  createAnthropic,
  type Reply,
  type Words,
} from "@palimpsest/provider-simulator";
import {
  memoryStore,
  openSession,
  ProviderError,
  recallTool,
  type Session,
  type ToolCall,
  toolResult,
} from "palimpsest";
import { type AnthropicRequest, type AnthropicResponse, anthropic } from "palimpsest/anthropic";
import type { Policy } from "palimpsest/policy";
import { readOverflow, type StreamPart } from "palimpsest/provider-parts";
import { headOf } from "./head.ts";
import { followFiles } from "./known-files.ts";
import { createNeedCheck } from "./need-check.ts";
import { type Need, textOf } from "./needs.ts";
import { recordedClock } from "./recorded-clock.ts";
import { TOKENS_PER_SIGNATURE_CHARACTER, thinkingTokens } from "./recorded-thinking.ts";
import type { RecordedItem, RecordedRound, Recording } from "./recording.ts";
import { type ReplayModel, simulatorModel, thinksWhenAsked } from "./replay-model.ts";
import { type ReplayedRequest, type ReplayRun, type RequestSource, writingMs } from "./replay-run.ts";
import { createShownBlocks } from "./shown-blocks.ts";
import { simulatedModel } from "./simulated-model.ts";
import { prose } from "./simulated-summary.ts";

export interface ReplayOptions {
  readonly policy: Policy;
  readonly model: ReplayModel;
  /** How requests reach the simulated service. @default in process */
  readonly connect?: Connect;
  /** Is called after each round of the recording, with how many are done. @default nobody is told */
  readonly onProgress?: (rounds: number) => void;
}

/** Sends a request to the service over the given transport. */
export type Connect = (service: Anthropic) => (request: AnthropicRequest) => Promise<AnthropicResponse>;

/** Runs the engine through a recording, against the strict simulator and on the recorded clock. */
export async function replaySession(
  recording: Recording,
  needs: readonly (readonly Need[])[],
  { policy, model: replayed, connect = inProcess, onProgress }: ReplayOptions,
): Promise<ReplayRun> {
  const { items, rounds, sizes, cwd } = recording;
  const requests: ReplayedRequest[] = [];
  let underWay = 0;
  const atRest = async (): Promise<void> => {
    do await setImmediate();
    while (underWay > 0);
  };
  const clock = recordedClock(rounds[0]!.sentAtMs, atRest);
  const mind = simulatedModel({ cwd, sizes });
  const service = createAnthropic({
    clock,
    script: mind.script,
    models: [simulatorModel(replayed)],
    tokenizer: {
      ...bytesTokenizer({ bytesPerToken: sizes.bytesPerToken }),
      signatureTokensPerCharacter: TOKENS_PER_SIGNATURE_CHARACTER,
    },
  });
  const send = connect(service);
  const { id: model, windowTokens, prices } = replayed;
  const adapter = anthropic({} as never, { models: { [model]: { windowTokens, prices } }, edits: "asked" });
  let source: RequestSource = "conversation";

  async function call(request: AnthropicRequest): Promise<{ response: AnthropicResponse; sent: ReplayedRequest }> {
    underWay++;
    try {
      const response = await send(request);
      const purpose = request.max_tokens === 0 ? "ping" : mind.newest();
      const sent = { source: purpose === "conversation" ? source : purpose, ...adapter.readResponse(response).usage };
      requests.push(sent);
      return { response, sent };
    } finally {
      underWay--;
    }
  }

  /** A call of the engine. Summaries and notes take as long as a model writes, and are heard of all the while. */
  async function* write(
    request: AnthropicRequest,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<StreamPart, AnthropicResponse> {
    const { response, sent } = await call(request);
    const endMs = clock.now() + (sent.source === "ping" ? 0 : writingMs(sent.outputTokens));
    while (clock.now() < endMs) {
      await clock.wait(Math.min(HEARD_EVERY_MS, endMs - clock.now()), signal);
      if (signal?.aborted) throw new ProviderError("anthropic", { kind: "aborted" }, "the call was aborted");
      yield { kind: "text", text: "" };
    }
    return response;
  }

  const fileThen = followFiles(items);
  let said = 0;
  const compactedAt: number[] = [];
  let [responses, cleared, waitedMs] = [0, 0, 0];
  const session = await openSession({
    store: memoryStore({ clock }),
    clock,
    model,
    parameters: thinksWhenAsked(model) ? { thinking: { type: "adaptive" } } : {},
    ...headOf(recording),
    provider: {
      ...adapter,
      send: (request: AnthropicRequest, options) => write(request, options?.signal),
    },
    policy,
    settingsFrom: { environment: {} },
    surroundings: { readFile: async (path) => fileThen(path, said) },
    onEvent(event) {
      if (event.kind === "compaction-ended" && event.outcome.kind === "compacted") compactedAt.push(responses);
      if (event.kind === "results-cleared") cleared += event.count;
    },
  });
  const shown = createShownBlocks(items);
  const check = createNeedCheck();
  const askedFor = callsAnswered(items);
  /** The ids that recorded calls have here. */
  const ids = new Map<string, string>();

  /** The next request. Nobody can do anything while a summary is written that it needs. */
  async function prepare(): Promise<AnthropicRequest> {
    const { result, tookMs } = await clock.settle(session.prepare());
    waitedMs += tookMs;
    countThinking(result);
    return result;
  }

  /** Blocks are the same objects from request to request. */
  const thinkingSent = new Set<unknown>();
  function countThinking({ messages }: AnthropicRequest): void {
    for (const { role, content } of messages) {
      if (role !== "assistant" || typeof content === "string") continue;
      for (const block of content) if (block.type === "thinking") thinkingSent.add(block["signature"]);
    }
  }

  /** Sends the request, takes its response from the recording, and logs it when it was there. */
  async function converse(
    request: AnthropicRequest,
    reply: Reply,
    as: { readonly source: RequestSource; readonly endedAtMs: number },
  ): Promise<readonly ToolCall[]> {
    source = as.source;
    mind.next(reply);
    const { response } = await call(request);
    await clock.advanceTo(as.endedAtMs);
    const { calls } = await session.record(response, request);
    return calls;
  }

  /** The model asks for content that it no longer sees, and gets it. */
  async function fetchAgain(request: AnthropicRequest, missing: readonly number[], atMs: number): Promise<void> {
    const words = missing.map((item) => {
      const { name, input } = askedFor.get(item) ?? { name: recallTool.name, input: { entry: item } };
      return { kind: "tool-call", name, input } as const;
    });
    const calls = await converse(request, { words }, { source: "refetch", endedAtMs: atMs });
    for (const [position, { id }] of calls.entries()) {
      const item = missing[position]!;
      shown.knowResult(id, item);
      await session.append(toolResult(id, textOf(items[item]!)));
    }
  }

  async function arrive(item: RecordedItem): Promise<void> {
    const [block] = item.blocks;
    if (block?.kind !== "tool_result") {
      const { blocks } = item;
      const isHuman = item.origin === "human";
      await session.append(isHuman ? { role: "user", origin: "human", blocks } : { type: "reminder", blocks });
      return;
    }
    const id = ids.get(block.callId);
    if (id === undefined) return;
    shown.knowResult(id, item.index);
    await session.append(toolResult(id, block.content, block.status));
  }

  for (const [index, round] of rounds.entries()) {
    await pauseBefore(round, session, { clock, policy, isFirst: index === 0 });
    for (const item of round.arrivals) await arrive(item);
    said = round.response.index;
    let request = await prepare();
    const missing = check.missing(needs[index]!, shown.shownBy(request.messages));
    if (missing.length > 0) {
      await fetchAgain(request, missing, round.sentAtMs);
      request = await prepare();
    }
    const reply = replyOf(round.response, sizes.bytesPerToken);
    const calls = await converse(request, reply, { source: "conversation", endedAtMs: round.response.atMs });
    const recorded = round.response.blocks.filter((block) => block.kind === "tool_call");
    for (const [position, { id }] of calls.entries()) {
      ids.set(recorded[position]!.id, id);
      shown.knowCall(id, round.response.index);
    }
    responses++;
    await atRest();
    onProgress?.(responses);
  }
  await clock.settle(session.close());
  return { requests, compactedAt, cleared, waitedMs, thinkingSent: thinkingSent.size, needs: check.counts };
}

const HEARD_EVERY_MS = 10_000;

interface PauseOptions {
  readonly clock: ReturnType<typeof recordedClock>;
  readonly policy: Policy;
  readonly isFirst: boolean;
}

/** Moves the clock to the request of a round; the prompt is kept warm meanwhile, if that is on. */
async function pauseBefore(
  { arrivals, sentAtMs }: RecordedRound,
  session: Session,
  { clock, policy, isFirst }: PauseOptions,
): Promise<void> {
  if (isFirst || policy.cache.keepWarm === undefined) return clock.advanceTo(sentAtMs);
  const isOver = new AbortController();
  const activity = arrivals.some(({ origin }) => origin === "tool") ? "tool-runs" : "waiting";
  const kept = session.provider.keepWarm({ activity, signal: isOver.signal });
  await clock.advanceTo(sentAtMs);
  isOver.abort();
  await kept;
}

const inProcess: Connect = (service) => async (request) => {
  // The client library sends betas as a header.
  const { betas, ...body } = request;
  const answered = service.answer(body, betas === undefined ? {} : { betas });
  if (answered.kind === "answered") return answered.response as unknown as AnthropicResponse;
  const overflow = readOverflow(answered);
  if (overflow === undefined) throw new Error(`The simulator refused a replayed request: ${answered.message}`);
  throw new ProviderError("anthropic", overflow, answered.message);
};

/** The words of a recorded response. Thinking is filler of the recorded size, which the service signs. */
function replyOf({ blocks }: RecordedItem, bytesPerToken: number): Reply {
  const words = blocks.flatMap((block): Words[] => {
    if (block.kind === "text") return [{ kind: "text", text: block.text }];
    if (block.kind === "thinking") return [{ kind: "thinking", text: prose(thinkingTokens(block) * bytesPerToken) }];
    return block.kind === "tool_call" ? [{ kind: "tool-call", name: block.name, input: block.input }] : [];
  });
  return { words };
}

/** For each result, the call that it answers. */
function callsAnswered(items: readonly RecordedItem[]): ReadonlyMap<number, ToolCall> {
  const calls = new Map<string, ToolCall>();
  const answered = new Map<number, ToolCall>();
  for (const { blocks, index } of items) {
    for (const block of blocks) {
      if (block.kind === "tool_call") calls.set(block.id, block);
      const call = block.kind === "tool_result" ? calls.get(block.callId) : undefined;
      if (call !== undefined) answered.set(index, call);
    }
  }
  return answered;
}
