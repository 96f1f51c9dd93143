import type { Failure, Fault } from "../../faults.ts";
import { type Delivery, outcomeOfCall } from "../../outcome-of-call.ts";
import { priceUsd } from "../../price.ts";
import type { Ask, Reply, Script } from "../../script.ts";
import type { Tokenizer } from "../../tokenizer.ts";
import { addUsage, NO_USAGE } from "../../usage.ts";
import type { Answered } from "../../verdict.ts";
import { toAcceptance } from "../acceptance.ts";
import type { Prepared, World } from "../prepare.ts";
import { mintId } from "../problem.ts";
import { thresholdCompaction } from "../prompt/compaction.ts";
import type { CacheDiagnostics } from "../prompt/diagnostics.ts";
import { BETA, type Block, hasBeta, isSummary } from "../request.ts";
import { askScript } from "./ask.ts";
import { type AnthropicMessage, toAnthropicUsage, toIteration } from "./message.ts";
import { afterCompaction, compactionPass, messagePass, type Pass, type PassOptions } from "./passes.ts";
import type { WrittenMessage } from "./write-message.ts";

/** What a simulated service carries from one answer to the next. */
export interface AnswerState {
  readonly world: World;
  readonly tokenizer: Tokenizer;
  readonly script: Script;
  readonly diagnostics: CacheDiagnostics;
  /** How many answers the script gave. */
  turn: number;
  /** How many messages were sent. */
  answered: number;
}

export type CallResult =
  | {
      readonly kind: "answered";
      readonly answered: Answered<AnthropicMessage>;
      readonly rawInputs: ReadonlyMap<string, string>;
      readonly fault: Fault | undefined;
      /** The response is on its way: until it has begun, nobody else may continue the same thread. */
      pending(): void;
      /** The response has begun: what it wrote can be read from the cache. */
      begun(): void;
    }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "reset" };

/** Has the script answer an accepted request: compaction by the service first where it is due, then the message. */
export function answerCall(prepared: Prepared, state: AnswerState, delivery: Delivery): CallResult {
  const spoken = speakAll(prepared, state, delivery);
  if ("kind" in spoken) return spoken;

  const { reply, passes, written } = spoken;
  const { request, account, prompt, model } = prepared;
  const id = mintId("msg", state.answered++);
  const response = toMessage(prepared, spoken, { id, diagnostics: state.diagnostics.compare(prepared) });
  return {
    kind: "answered",
    answered: {
      kind: "answered",
      acceptance: toAcceptance(prepared),
      response,
      usage: passes.reduce((sum, pass) => addUsage(sum, pass.usage), NO_USAGE),
      // Each pass is priced by itself: where prices rise with the prompt, two small prompts are not a large one.
      priceUsd: passes.reduce((sum, pass) => sum + priceUsd(pass.usage, model.prices), 0),
    },
    rawInputs: rawInputsOf(reply, written.content),
    fault: reply.fault,
    pending: () => state.world.threads.begin(request, account),
    begun() {
      for (const pass of passes) pass.commit();
      state.diagnostics.remember(id, { ...prepared, prompt });
      state.world.threads.keep(id, request, account, { role: "assistant", content: response.content });
    },
  };
}

interface Spoken {
  readonly reply: Reply;
  readonly passes: readonly Pass[];
  readonly written: WrittenMessage;
}

/** One pass usually; two where the service compacts by itself before it goes on, or one where it pauses there. */
function speakAll(
  prepared: Prepared,
  state: AnswerState,
  delivery: Delivery,
): Spoken | Exclude<CallResult, { kind: "answered" }> {
  const { request } = prepared;
  const options: PassOptions = { world: state.world, tokenizer: state.tokenizer, ordinal: state.answered };
  const ask = (purpose: Ask["purpose"], from: Prepared): Reply => {
    const { script, turn } = state;
    const reply = askScript(request, { script, purpose, turn, inputTokens: from.prompt.prefix.tokens });
    // Only now: a script that throws has not answered.
    if (purpose === "answer") state.turn++;
    return reply;
  };
  // A prompt that is only to be read into the cache is not put to the model.
  if (request.max_tokens === 0 && !request.compaction) {
    const reply: Reply = { words: [], stop: "output-limit" };
    const { written, pass } = messagePass(prepared, reply, options);
    return { reply, passes: [pass], written };
  }
  if (request.compaction) {
    const reply = ask("compaction", prepared);
    const failure = failureOf(reply.fault, delivery);
    if (failure !== undefined) return failure;
    const { block, pass } = compactionPass(prepared, reply, "on-demand", options);
    return { reply, passes: [pass], written: onlySummary(block) };
  }
  const threshold = thresholdCompaction(request);
  const isDue = threshold !== undefined && prepared.prompt.prefix.tokens >= threshold.triggerTokens;
  const opening = isDue ? compactionPass(prepared, ask("compaction", prepared), "threshold", options) : undefined;
  if (opening !== undefined && threshold?.afterwards === "pause") {
    return { reply: { words: [] }, passes: [opening.pass], written: onlySummary(opening.block) };
  }
  const rest =
    opening !== undefined && isSummary(opening.block) ? afterCompaction(prepared, opening.block, options) : prepared;
  const reply = ask("answer", rest);
  const failure = failureOf(reply.fault, delivery);
  if (failure !== undefined) return failure;
  const { written, pass } = messagePass(rest, reply, options);
  if (opening === undefined) return { reply, passes: [pass], written };
  const content = [opening.block, ...written.content];
  return { reply, passes: [opening.pass, pass], written: { ...written, content } };
}

function onlySummary(block: Block): WrittenMessage {
  return { content: [block], stopReason: "compaction", stopSequence: null, outputTokens: 0, thinkingTokens: 0 };
}

function toMessage(
  { request, call, model, transformations, appliedEdits, deletedTokens }: Prepared,
  { reply, passes, written }: Spoken,
  { id, diagnostics }: Pick<AnthropicMessage, "id" | "diagnostics">,
): AnthropicMessage {
  const own = passes
    .filter(({ type }) => type === "message")
    .reduce((sum, pass) => addUsage(sum, pass.usage), NO_USAGE);
  const iterations = passes.map(({ type, usage }) => toIteration(type, usage, model.id));
  const refused = written.stopReason === "refusal";
  const beta = (call.betas?.length ?? 0) > 0;
  return {
    id,
    type: "message",
    role: "assistant",
    model: request.model,
    content: written.content,
    stop_reason: written.stopReason,
    stop_sequence: written.stopSequence,
    stop_details: refused ? { type: "refusal", category: null, explanation: null, ...reply.refusal } : null,
    container: null,
    diagnostics,
    usage: {
      ...toAnthropicUsage(own, request.speed === "fast" ? "fast" : "standard", iterations),
      ...(hasBeta(call, BETA.cacheEdits) ? { cache_deleted_input_tokens: deletedTokens } : {}),
    },
    ...(beta ? { context_management: request.context_management ? { applied_edits: appliedEdits } : null } : {}),
    ...(hasBeta(call, BETA.bindingControls) ? { input_transformations: transformations } : {}),
  };
}

/** Faults that leave no answer at all. */
function failureOf(
  fault: Fault | undefined,
  delivery: Delivery,
): Exclude<CallResult, { kind: "answered" }> | undefined {
  const fate = outcomeOfCall(fault, delivery);
  if (fate.kind === "answered") return undefined;
  return fate;
}

/** The bytes a misbehaving model sent as tool input, by the id of the call. */
function rawInputsOf(reply: Reply, content: readonly Block[]): ReadonlyMap<string, string> {
  const calls = reply.words.filter((words) => words.kind === "tool-call");
  const blocks = content.filter(({ type }) => type === "tool_use");
  return new Map(
    blocks.flatMap((block, index) =>
      calls[index]?.rawInput === undefined ? [] : [[block["id"] as string, calls[index].rawInput]],
    ),
  );
}
