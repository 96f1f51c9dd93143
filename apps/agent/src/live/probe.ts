import type { ModelFacts, Provider } from "palimpsest";
import type { ResponseContent } from "palimpsest/core";
import type { ProviderWord } from "../cli/choose-provider.ts";
import type { Fields } from "./wire-fields.ts";
import type { Exchange } from "./wire-tap.ts";

/** Somebody who answers requests: the service, or the simulator in its place. */
export interface Endpoint {
  readonly provider: Provider;
  /** What was exchanged since this was last asked. */
  takeExchanges(): Promise<readonly Exchange[]>;
  /** Told of each whole response, in order. */
  onResponse(content: ResponseContent): void;
}

/** What both sides are asked by: found out from the service before, and the same for the simulator. */
export interface RequestLimits {
  readonly api: ProviderWord;
  readonly model: string;
  /** What is known of the model: the service's own words over the table. */
  readonly facts: ModelFacts;
  /** Who says how large its window is. `nobody`: it is not known. */
  readonly windowFrom: "service" | "table" | "nobody";
  /** Fields of a request that make the model think, where it can be made to. */
  readonly thinking: Readonly<Record<string, unknown>>;
  /** Stands in every prompt, so that nothing of an earlier run is found in the cache. */
  readonly mark: string;
  readonly signal?: AbortSignal;
}

/**
 * What came of one check. `problem`: something that the engine relies on does not hold. `note`: worth knowing, and nothing
 * breaks by it. `skipped`: it could not be looked at, and the text says why.
 */
export interface Finding {
  readonly check: string;
  readonly state: "ok" | "note" | "problem" | "skipped";
  readonly text: string;
  /** What is compared with the simulator; none where there is nothing to compare. */
  readonly fields: Fields;
  /** The window, where the service gave it away. */
  readonly windowTokens?: number;
  /** `pointless`: nobody is there, or the key is not taken. @default "of use" */
  readonly furtherCalls?: "of use" | "pointless";
}

/** A call that is billed, as it is planned. */
export interface PlannedCall {
  readonly inputTokens: number;
  readonly likelyOutputTokens: number;
  readonly mostOutputTokens: number;
  /** `cached`: its input is most likely read from the cache. `refused`: it is most likely not billed. @default "answered" */
  readonly likely?: "answered" | "cached" | "refused";
}

/** A few calls that answer one or more questions about a service. */
export interface Probe {
  /** What is said to be skipped, where it is. */
  readonly check: string;
  /** What it is about to do, for who waits. */
  readonly about: string;
  /** How many there are at most, free ones included. */
  readonly calls: number;
  /** Calls that may be billed; empty where none is. */
  plan(target: RequestLimits): readonly PlannedCall[];
  run(endpoint: Endpoint, target: RequestLimits): Promise<readonly Finding[]>;
}
