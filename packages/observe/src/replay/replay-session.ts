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
import { readOverflow } from "palimpsest/provider-parts";
import { headOf } from "./head.ts";
import { followFiles } from "./known-files.ts";
import { createNeedCheck } from "./need-check.ts";
import { type Need, textOf } from "./needs.ts";
import { recordedClock } from "./recorded-clock.ts";
import type { RecordedItem, RecordedRound, Recording } from "./recording.ts";
import { type ReplayModel, simulatorModel } from "./replay-model.ts";
import type { ReplayedRequest, ReplayRun, RequestSource } from "./replay-run.ts";
import { createShownBlocks } from "./shown-blocks.ts";
import { simulatedModel } from "./simulated-model.ts";

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
    tokenizer: bytesTokenizer({ bytesPerToken: sizes.bytesPerToken }),
  });
  const send = connect(service);
  const { id: model, windowTokens, prices } = replayed;
  const adapter = anthropic({} as never, { models: { [model]: { windowTokens, prices } }, edits: "asked" });
  let source: RequestSource = "conversation";

  async function call(request: AnthropicRequest): Promise<AnthropicResponse> {
    underWay++;
    try {
      const response = await send(request);
      const purpose = request.max_tokens === 0 ? "ping" : mind.newest();
      requests.push({
        source: purpose === "conversation" ? source : purpose,
        ...adapter.readResponse(response).usage,
      });
      return response;
    } finally {
      underWay--;
    }
  }

  const fileThen = followFiles(items);
  let said = 0;
  const compactedAt: number[] = [];
  let [responses, cleared] = [0, 0];
  const session = await openSession({
    store: memoryStore({ clock }),
    clock,
    model,
    ...headOf(recording),
    provider: {
      ...adapter,
      // biome-ignore lint/correctness/useYield: nobody looks at the parts.
      async *send(request: AnthropicRequest) {
        return call(request);
      },
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

  /** Sends the request, takes its response from the recording, and logs it. */
  async function converse(request: AnthropicRequest, reply: Reply, as: RequestSource): Promise<readonly ToolCall[]> {
    source = as;
    mind.next(reply);
    const { calls } = await session.record(await call(request), request);
    return calls;
  }

  /** The model asks for content that it no longer sees, and gets it. */
  async function fetchAgain(request: AnthropicRequest, missing: readonly number[]): Promise<void> {
    const words = missing.map((item) => {
      const { name, input } = askedFor.get(item) ?? { name: recallTool.name, input: { entry: item } };
      return { kind: "tool-call", name, input } as const;
    });
    const calls = await converse(request, { words }, "refetch");
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
    let request = await session.prepare();
    const missing = check.missing(needs[index]!, shown.shownBy(request.messages));
    if (missing.length > 0) {
      await fetchAgain(request, missing);
      request = await session.prepare();
    }
    const calls = await converse(request, replyOf(round.response), "conversation");
    const recorded = round.response.blocks.filter((block) => block.kind === "tool_call");
    for (const [position, { id }] of calls.entries()) {
      ids.set(recorded[position]!.id, id);
      shown.knowCall(id, round.response.index);
    }
    responses++;
    await atRest();
    onProgress?.(responses);
  }
  await session.close();
  return { requests, compactedAt, cleared, needs: check.counts };
}

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

function replyOf({ blocks }: RecordedItem): Reply {
  const words = blocks.flatMap((block): Words[] => {
    if (block.kind === "text") return [{ kind: "text", text: block.text }];
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
