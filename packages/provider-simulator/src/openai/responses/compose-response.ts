import type { Clock } from "../../clock.ts";
import type { Fault } from "../../faults.ts";
import { hearScript } from "../../hear.ts";
import { asArray, isObject } from "../../json.ts";
import { priceUsd } from "../../price.ts";
import { askedFor } from "../../prompt.ts";
import type { Ask, Reply, Script } from "../../script.ts";
import { type Speech, speak } from "../../speak.ts";
import type { Tokenizer } from "../../tokenizer.ts";
import type { Usage } from "../../usage.ts";
import { toolNames, toolSearchOf } from "../check-tools.ts";
import type { IdPrefix } from "../mint-id.ts";
import { diagnoseCache } from "./cache-diagnostics.ts";
import type { ReadItem } from "./items.ts";
import { afterCompaction, type MeasuredRequest } from "./measure-responses.ts";
import { type OutputItem, toCompaction, toOutput } from "./output.ts";
import { draftResponse, type ResponseObject, toResponseUsage } from "./response-object.ts";

export interface ComposerOptions {
  readonly clock: Clock;
  readonly tokenizer: Tokenizer;
  readonly script: Script;
  readonly mint: (prefix: IdPrefix) => string;
  readonly read: (item: unknown) => ReadItem;
}

export interface ComposedResponse {
  readonly draft: ResponseObject;
  readonly finished: ResponseObject;
  readonly usage: Usage;
  readonly priceUsd: number;
  readonly fault?: Fault;
  /** Remembers the response: to be called unless a fault kept it from being made. */
  store(): void;
}

export interface ResponseComposer {
  compose(measured: MeasuredRequest): ComposedResponse;
  /** One summary of the whole conversation, for the endpoint that does nothing else. */
  summarize(measured: MeasuredRequest): { reply: Reply; speech: Speech };
}

/** Lets the script answer a weighed request, and renders its words as the service would. */
export function createResponseComposer(options: ComposerOptions): ResponseComposer {
  const { clock, tokenizer, script, mint, read } = options;
  let turn = 0;

  function hear(measured: MeasuredRequest, purpose: Ask["purpose"]): { reply: Reply; speech: Speech } {
    const { request, model, items, prompt } = measured;
    const reply = hearScript(script, {
      provider: "openai-responses",
      purpose,
      turn,
      request,
      inputTokens: prompt.prefix.tokens,
      tools: [
        ...toolNames(request["tools"]),
        ...(toolSearchOf(request["tools"]) === "client" ? ["tool_search"] : []),
        ...items.flatMap(({ type, raw }) => (type === "tool_search_output" ? toolNames(raw["tools"]) : [])),
      ],
      ...askedFor(items),
    });
    // Only now: a script that throws has not answered.
    if (purpose === "answer") turn++;
    const limit =
      typeof request["max_output_tokens"] === "number" ? request["max_output_tokens"] : model.maxOutputTokens;
    const maxOutputTokens = Math.min(limit, Math.max(0, model.windowTokens - prompt.prefix.tokens));
    const thinking = model.reasoning === "none" ? "left-out" : "said";
    return { reply, speech: speak(reply, { tokenizer, maxOutputTokens, thinking }) };
  }

  function compose(measured: MeasuredRequest): ComposedResponse {
    const { request, model, caching, items, accepted, fingerprint, memory } = measured;
    const id = mint("resp");
    const draft = draftResponse({ id, createdAtMs: clock.now(), request, model, caching });
    const said = speakAll(measured);
    const usage: Usage = {
      ...accepted.acceptance.usage,
      outputTokens: said.outputTokens,
      thinkingTokens: said.thinkingTokens,
    };
    const cacheOptions = isObject(request["prompt_cache_options"]) ? request["prompt_cache_options"] : {};
    const compared = cacheOptions["comparison_response_id"];
    const diagnostics =
      typeof compared === "string"
        ? {
            prompt_cache_diagnostics: diagnoseCache(
              { ...fingerprint, outcome: accepted.acceptance.cache },
              memory.fingerprintOf(compared),
            ),
          }
        : {};
    return {
      draft,
      finished: { ...draft, ...diagnostics, ...finish(said, usage, clock) },
      usage,
      priceUsd: priceUsd(usage, model.prices),
      fault: said.fault,
      store() {
        memory.keepFingerprint(id, fingerprint);
        if (said.fault?.kind === "response-failed") return;
        const output = said.output.map(read);
        const stored = request["store"] !== false;
        memory.rememberOutput(output, stored ? "stored" : "not-stored");
        if (!stored) return;
        const asked = items.filter(({ type }) => type !== "compaction_trigger");
        memory.storeConversation(id, afterCompaction([...asked, ...output]));
      },
    };
  }

  /** The summary first, where the request asks for one or has outgrown its threshold; then the answer. */
  function speakAll(measured: MeasuredRequest): PlacedBlock {
    const { request } = measured;
    const cacheOptions = request["prompt_cache_options"];
    if (isObject(cacheOptions) && cacheOptions["prewarm"] === true) return { ...SILENCE };
    const triggered = measured.items.at(-1)?.type === "compaction_trigger";
    const summary = triggered || isOverThreshold(measured) ? hear(measured, "compaction") : undefined;
    const answer = triggered || summary?.reply.fault !== undefined ? undefined : hear(measured, "answer");
    const reasoning = isObject(request["reasoning"]) ? request["reasoning"] : {};
    const summaries = typeof reasoning["summary"] === "string" ? "wanted" : "not-wanted";
    const fault = summary?.reply.fault ?? answer?.reply.fault;
    return {
      output: [
        ...(summary === undefined ? [] : [toCompaction(textOf(summary.speech), mint)]),
        ...(answer === undefined
          ? []
          : toOutput(answer.speech, answer.reply, { mint, summaries, toolSearch: toolSearchOf(request["tools"]) })),
      ],
      // A response that failed has no output, and none is billed.
      ...(fault?.kind === "response-failed"
        ? { outputTokens: 0, thinkingTokens: 0 }
        : {
            outputTokens: (summary?.speech.outputTokens ?? 0) + (answer?.speech.outputTokens ?? 0),
            thinkingTokens: (summary?.speech.thinkingTokens ?? 0) + (answer?.speech.thinkingTokens ?? 0),
          }),
      stop: answer?.speech.stop ?? "end",
      fault,
    };
  }

  return { compose, summarize: (measured) => hear(measured, "compaction") };
}

interface PlacedBlock {
  readonly output: readonly OutputItem[];
  readonly outputTokens: number;
  readonly thinkingTokens: number;
  readonly stop: Speech["stop"];
  readonly fault?: Fault;
}

const SILENCE: PlacedBlock = { output: [], outputTokens: 0, thinkingTokens: 0, stop: "end" };

/** The text of a summary, thinking left out. */
export function textOf(speech: Speech): string {
  return speech.words.map((words) => (words.kind === "text" ? words.text : "")).join("");
}

/** "When the rendered token count crosses the configured threshold" (compaction guide). */
function isOverThreshold({ request, prompt }: MeasuredRequest): boolean {
  return asArray(request["context_management"]).some(
    (entry) =>
      isObject(entry) &&
      typeof entry["compact_threshold"] === "number" &&
      prompt.prefix.tokens >= entry["compact_threshold"],
  );
}

function finish(said: PlacedBlock, usage: Usage, clock: Clock): Partial<ResponseObject> {
  if (said.fault?.kind === "response-failed") {
    return { status: "failed", error: { code: said.fault.code, message: said.fault.message } };
  }
  const full = { output: said.output, usage: toResponseUsage(usage) };
  if (said.stop === "output-limit") {
    return { ...full, status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
  }
  return { ...full, status: "completed", completed_at: Math.floor(clock.now() / 1000) };
}
