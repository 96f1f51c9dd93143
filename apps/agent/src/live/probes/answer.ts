import { ask, failedFinding, type Question, renderQuestion, user } from "../ask.ts";
import type { Endpoint, Finding, Probe, RequestLimits } from "../probe.ts";
import { eventOrder, wireFields } from "../wire-fields.ts";

/** A model that cannot help thinking needs room for it, however short the answer. */
const MAX_OUTPUT_TOKENS = 1_024;

export function plainQuestion({ mark }: Pick<RequestLimits, "mark">): Question {
  return {
    messages: [user(`This is check ${mark} of a program. Answer with the one word: ready`)],
    maxTokens: MAX_OUTPUT_TOKENS,
  };
}

/** The shortest answer there is: whether it arrives, in which events, and what it says it used. Counted before, too. */
export const answerProbe: Probe = {
  check: "answer",
  about: "a plain answer, counted before and streamed",
  calls: 2,
  plan: () => [{ inputTokens: 40, likelyOutputTokens: 60, mostOutputTokens: MAX_OUTPUT_TOKENS }],
  async run(endpoint, target) {
    const counted = await countFirst(endpoint, target);
    const countExchanges = await endpoint.takeExchanges();
    const asked = await ask(endpoint, target, plainQuestion(target));
    if (asked.kind === "failed") return [await failedFinding("answer", asked.error, endpoint)];
    const exchanges = await endpoint.takeExchanges();
    const { stop, usage } = asked.content;
    const inputTokens = usage.freshTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    const isWhole = stop === "end" && inputTokens > 0 && usage.outputTokens > 0;
    return [
      {
        check: "answer",
        state: isWhole ? "ok" : "problem",
        text: `stop ${stop}, ${inputTokens} tokens in, ${usage.outputTokens} out${isWhole ? "" : ": a whole answer has a stop and both counts"}`,
        fields: { ...wireFields(exchanges), "the adapter reads": `stop ${stop}` },
      },
      judgeOrder(eventOrder(exchanges)),
      judgeCount(counted, inputTokens, wireFields(countExchanges)),
    ];
  },
};

async function countFirst(endpoint: Endpoint, target: RequestLimits): Promise<number | "refused" | undefined> {
  const { signal } = target;
  const request = renderQuestion(endpoint, target, plainQuestion(target));
  return endpoint.provider.countTokens(request, signal === undefined ? {} : { signal }).catch(() => "refused" as const);
}

/** The answer is whole already: an order that we did not expect has done no harm. */
function judgeOrder(order: string): Finding {
  return {
    check: "streaming",
    state: "ok",
    text: `${order.split(", ").length} events in order`,
    fields: { events: order },
  };
}

/** What an estimate may be off without anybody noticing. */
const NEAR_SHARE = 0.02;
const NEAR_TOKENS = 8;

function judgeCount(counted: number | "refused" | undefined, inputTokens: number, fields: Finding["fields"]): Finding {
  const check = "counting";
  if (counted === undefined) return { check, state: "skipped", text: "it has no endpoint that counts", fields: {} };
  if (counted === "refused") return { check, state: "note", text: "counting was refused: sizes are estimated", fields };
  const isNear = Math.abs(counted - inputTokens) <= Math.max(NEAR_TOKENS, NEAR_SHARE * inputTokens);
  const text = `${counted} tokens counted, ${inputTokens} billed`;
  return { check, state: isNear ? "ok" : "note", text, fields };
}
