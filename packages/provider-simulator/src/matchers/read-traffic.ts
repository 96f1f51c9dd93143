import type { Outcome } from "../http-face.ts";
import { isObject } from "../json.ts";
import type { Exchange, Recorder } from "../recorder.ts";
import type { SimulatorServer } from "../server.ts";
import { addUsage, NO_USAGE, type Usage } from "../usage.ts";
import type { Answered, Verdict } from "../verdict.ts";

/** Everything that says how requests fared: verdicts and answers of a face, a server, its recorder, some of its exchanges. */
export type Judged = Verdict | Answered<unknown> | SimulatorServer | Recorder | Exchange | readonly Judged[];

/** How some requests fared, added up. Requests that cost nothing (counting, listing models) are not among them. */
export interface Traffic {
  readonly accepted: number;
  /** One line for each request that was refused, or that broke the simulator. */
  readonly refusals: readonly string[];
  readonly usage: Usage;
  readonly priceUsd: number;
}

const NO_TRAFFIC: Traffic = { accepted: 0, refusals: [], usage: NO_USAGE, priceUsd: 0 };

/** Adds up requests. Returns undefined for a value that says nothing about any. */
export function readTraffic(judged: unknown): Traffic | undefined {
  if (Array.isArray(judged)) {
    const parts = judged.map(readTraffic);
    return parts.every((part) => part !== undefined) ? parts.reduce(addTraffic, NO_TRAFFIC) : undefined;
  }
  if (typeof judged !== "object" || judged === null) return undefined;
  if ("recorder" in judged) return readTraffic(judged.recorder);
  if ("exchanges" in judged) return readTraffic(judged.exchanges);
  if ("outcome" in judged && "path" in judged) return readOutcome(judged.outcome as Outcome, `${judged.path} `);
  return isObject(judged) && "kind" in judged ? readOutcome(judged as unknown as Outcome, "") : undefined;
}

function readOutcome(outcome: Outcome | Verdict | Answered<unknown>, place: string): Traffic | undefined {
  switch (outcome.kind) {
    case "free":
      return NO_TRAFFIC;
    case "accepted":
    case "answered":
      return { accepted: 1, refusals: [], usage: outcome.usage, priceUsd: outcome.priceUsd };
    case "refused":
      return { ...NO_TRAFFIC, refusals: [`${place}${outcome.status} ${outcome.message}`] };
    case "broken":
      return { ...NO_TRAFFIC, refusals: [`${place}${outcome.message}`] };
    default:
      return undefined;
  }
}

function addTraffic(left: Traffic, right: Traffic): Traffic {
  return {
    accepted: left.accepted + right.accepted,
    refusals: [...left.refusals, ...right.refusals],
    usage: addUsage(left.usage, right.usage),
    priceUsd: left.priceUsd + right.priceUsd,
  };
}
