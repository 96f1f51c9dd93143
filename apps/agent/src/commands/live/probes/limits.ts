import type { ProviderError } from "palimpsest";
import { readOverflow } from "palimpsest/provider-parts";
import { type Asked, ask, type Endpoint, type Finding, failedFinding, type Probe, user } from "../probe.ts";
import { wireFields } from "../wire-fields.ts";
import { plainQuestion } from "./answer.ts";

/** More output tokens than any model allows. */
const ABSURD_TOKENS = 10_000_000;

/**
 * Asks for too many output tokens. The request is rejected and not billed. The engine must not take the error for too
 * much input.
 */
export const outputLimitProbe: Probe = {
  check: "output limit",
  about: "ask for too much output, to see the error",
  calls: 1,
  plan: () => [{ inputTokens: 40, likelyOutputTokens: 60, mostOutputTokens: 1_024, likely: "refused" }],
  async run(endpoint, target) {
    const maxTokens = target.windowFrom === "nobody" ? ABSURD_TOKENS : target.facts.maxOutputTokens + 1;
    const asked = await ask(endpoint, target, { ...plainQuestion(target), maxTokens });
    const check = "output limit";
    if (asked.kind === "failed" && isOther(asked.error)) return [await failedFinding(check, asked.error, endpoint)];
    const fields = await refusalFields(endpoint, asked);
    if (asked.kind === "answered") {
      return [{ check, state: "note", text: `the provider accepted an output limit of ${maxTokens} tokens`, fields }];
    }
    const { failure } = asked.error;
    // Servers that add input and output report the window in this error, which is equally useful.
    const windowTokens = failure.kind === "overflow" ? failure.limitTokens : undefined;
    const isRead = failure.kind === "refused" || windowTokens !== undefined;
    const text = `${maxTokens} rejected, read as ${failure.kind}${windowTokens === undefined ? "" : ` of ${windowTokens}`}`;
    return [
      {
        check,
        fields,
        state: isRead ? "ok" : "problem",
        text: isRead ? text : `${text}: ${asked.error.message}`,
        windowTokens,
      },
    ];
  },
};

const BEYOND = 1.1;

/**
 * Sends a prompt that is larger than the window. If our window size is right, the prompt is rejected and not billed. It
 * is sent only if the service reported the size, or if the user allowed the price of a wrong size.
 */
export const overLongProbe: Probe = {
  check: "too long",
  about: "send a prompt that is larger than the window, to see the error",
  calls: 1,
  plan({ facts, windowFrom }) {
    if (windowFrom === "service" || facts.windowTokens === undefined) return [];
    const inputTokens = Math.ceil(facts.windowTokens * BEYOND);
    return [{ inputTokens, likelyOutputTokens: 0, mostOutputTokens: 16, likely: "refused" }];
  },
  async run(endpoint, target) {
    const check = "too long";
    const { windowTokens } = target.facts;
    if (windowTokens === undefined) {
      return [{ check, state: "skipped", text: "the size of the window is unknown", fields: {} }];
    }
    const asked = await ask(endpoint, target, { messages: [user(numbers(windowTokens * BEYOND))], maxTokens: 16 });
    if (asked.kind === "failed" && isOther(asked.error)) return [await failedFinding(check, asked.error, endpoint)];
    const fields = await refusalFields(endpoint, asked);
    if (asked.kind === "answered") return [{ check, fields, ...judgeTaken(asked.content.usage, windowTokens) }];
    return [{ check, fields, ...judgeRefusal(asked.error) }];
  },
};

/** Whether the call failed for a reason other than its size. */
function isOther({ failure }: ProviderError): boolean {
  return failure.kind !== "refused" && failure.kind !== "overflow";
}

function judgeRefusal(error: ProviderError): Pick<Finding, "state" | "text"> {
  const overflow = readOverflow(error.cause);
  if (overflow === undefined) {
    return {
      state: "problem",
      text: `rejected with a message that the engine does not know as an overflow: ${error.message}`,
    };
  }
  const { by, inputTokens, limitTokens } = overflow;
  return { state: "ok", text: `read as overflow by ${by}, ${inputTokens ?? "?"} of ${limitTokens ?? "?"} tokens` };
}

/**
 * Judges an accepted prompt. Some servers cut the prompt without an error. Only the usage shows the cut, and the engine
 * checks the usage.
 */
function judgeTaken(
  {
    freshTokens,
    cacheReadTokens,
    cacheWriteTokens,
  }: { readonly freshTokens: number; readonly cacheReadTokens: number; readonly cacheWriteTokens: number },
  windowTokens: number,
): Pick<Finding, "state" | "text"> {
  const inputTokens = freshTokens + cacheReadTokens + cacheWriteTokens;
  return {
    state: "note",
    text: `accepted instead of rejected: ${inputTokens} input tokens, with a window of ${windowTokens}`,
  };
}

async function refusalFields(endpoint: Endpoint, asked: Asked): Promise<Finding["fields"]> {
  const fields = wireFields(await endpoint.takeExchanges());
  if (asked.kind === "answered") return { ...fields, "the adapter reads": "an answer" };
  const overflow = readOverflow(asked.error.cause);
  const numbersInError = [
    overflow?.inputTokens === undefined ? [] : ["size"],
    overflow?.limitTokens === undefined ? [] : ["limit"],
  ];
  const numbersText = numbersInError.flat().join(" and ") || "no numbers";
  return {
    ...fields,
    "the adapter reads":
      overflow === undefined ? asked.error.failure.kind : `overflow by ${overflow.by}, ${numbersText}`,
  };
}

/** Text with a known number of tokens: three digits and a space, which no tokenizer merges. */
function numbers(count: number): string {
  const words: string[] = [];
  // A fixed sequence with a long period.
  let value = 7;
  for (let index = 0; index < count; index++) {
    value = (value * 421 + 137) % 10_007;
    words.push(String(value).slice(-3).padStart(3, "0"));
  }
  return words.join(" ");
}
