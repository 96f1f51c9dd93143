// How long the provider caches the prompt.

import { USUAL_LONG_WRITE } from "../../cost/ledger.ts";
import { anObject, checkAllOptions, ifGiven } from "../../schema/check-options.ts";
import type { CacheRule, Json, WarmRule } from "../policy.ts";
import type { CacheLifetime, ModelState } from "../window-state.ts";

export interface CacheOptions {
  /** Keeps the prompt in the cache during pauses, with pings. @default no pings */
  readonly keepWarm?: WarmRule | undefined;
}

/**
 * The conversation for five minutes. The head for an hour, once that would have saved money with the pauses of this session so far, so
 * a session without such pauses never pays more. docs/decisions/the-head-has-its-own-lifetime.md has the figures.
 */
export function headByPauses(options: CacheOptions = {}): CacheRule {
  const keepWarm = keepWarmOf("headByPauses", options);
  return {
    name: "head-by-pauses",
    params: { keepWarm: paramsOf(keepWarm) },
    head({ model, prices: { read, write, input } }, { middle, long }) {
      const lost = middle * (write - read);
      const price = (1 + long) * (input * USUAL_LONG_WRITE - write);
      return lost > price ? offered("1h", model) : "5m";
    },
    conversation: () => "5m",
    keepWarm,
  };
}

/** The same lifetimes for every request, where the provider offers them. */
export function fixedLifetimes(
  head: CacheLifetime,
  conversation: CacheLifetime,
  options: CacheOptions = {},
): CacheRule {
  const keepWarm = keepWarmOf("fixedLifetimes", options);
  return {
    name: "fixed-lifetimes",
    params: { head, conversation, keepWarm: paramsOf(keepWarm) },
    head: ({ model }) => offered(head, model),
    conversation: ({ model }) => offered(conversation, model),
    keepWarm,
  };
}

function keepWarmOf(rule: string, options: CacheOptions): WarmRule | undefined {
  checkAllOptions(rule, options, { keepWarm: ifGiven(anObject("a rule, such as keepWarm()")) });
  return options.keepWarm;
}

function paramsOf(keepWarm: WarmRule | undefined): Json {
  return keepWarm === undefined ? "off" : { name: keepWarm.name, params: keepWarm.params ?? {} };
}

function offered(lifetime: CacheLifetime, { cacheLifetimes }: ModelState): CacheLifetime {
  return cacheLifetimes.includes(lifetime) ? lifetime : "5m";
}
