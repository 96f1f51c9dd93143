import {
  ask,
  type Endpoint,
  type Finding,
  failedFinding,
  type Probe,
  type Question,
  type RequestLimits,
  renderQuestion,
  user,
} from "../probe.ts";
import { eventOrder, wireFields } from "../wire-fields.ts";

/** Even a short answer needs room for thinking, because some models always think. */
const MAX_OUTPUT_TOKENS = 1_024;

export function plainQuestion({ mark }: Pick<RequestLimits, "mark">): Question {
  return {
    messages: [user(`This is check ${mark} of a program. Answer with the one word: ready`)],
    maxTokens: MAX_OUTPUT_TOKENS,
  };
}

/** Asks for a one-word answer: checks its events, its usage and the token count before it. */
export const answerProbe: Probe = {
  check: "answer",
  about: "get a short streamed answer, and count its tokens before",
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
        text: `stop ${stop}, ${inputTokens} tokens in, ${usage.outputTokens} out${isWhole ? "" : ": a complete answer has a stop reason and both counts"}`,
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

/** Judges the order of events. An unexpected order is only a note, because the answer is complete. */
function judgeOrder(order: string): Finding {
  return {
    check: "streaming",
    state: "ok",
    text: `${order.split(", ").length} events in order`,
    fields: { events: order },
  };
}

/** The tolerated difference between the token count and the bill. */
const NEAR_SHARE = 0.02;
const NEAR_TOKENS = 8;

function judgeCount(counted: number | "refused" | undefined, inputTokens: number, fields: Finding["fields"]): Finding {
  const check = "counting";
  if (counted === undefined)
    return { check, state: "skipped", text: "the provider has no endpoint for token counts", fields: {} };
  if (counted === "refused")
    return { check, state: "note", text: "the provider rejected the token count, so sizes are estimated", fields };
  const isNear = Math.abs(counted - inputTokens) <= Math.max(NEAR_TOKENS, NEAR_SHARE * inputTokens);
  const text = `${counted} tokens counted, ${inputTokens} billed`;
  return { check, state: isNear ? "ok" : "note", text, fields };
}
