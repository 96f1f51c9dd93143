import type { ModelFacts, Provider } from "palimpsest";
import type { ResponseContent } from "palimpsest/core";
import type { Exchange } from "../../live/wire-tap.ts";
import type { ProviderWord } from "../choose-provider.ts";
import type { Fields } from "./wire-fields.ts";

/** An endpoint that answers requests: the service or the simulator. */
export interface Endpoint {
  readonly provider: Provider;
  /** The exchanges since the last call. */
  takeExchanges(): Promise<readonly Exchange[]>;
  /** Receives each complete response, in order. */
  onResponse(content: ResponseContent): void;
}

/** The parameters of the probes, the same for the service and the simulator. */
export interface RequestLimits {
  readonly api: ProviderWord;
  readonly model: string;
  /** The facts about the model. The service's own facts replace those of the table. */
  readonly facts: ModelFacts;
  /** The source of the window's size. `nobody`: it is unknown. */
  readonly windowFrom: "service" | "table" | "nobody";
  /** Request fields that turn thinking on, if the model supports it. */
  readonly thinking: Readonly<Record<string, unknown>>;
  /** Part of every prompt, so that the cache contains nothing of earlier runs. */
  readonly mark: string;
  readonly signal?: AbortSignal;
}

/**
 * The result of one check. `problem`: the engine relies on something that is not true. `note`: worth knowing, breaks nothing.
 * `skipped`: not checked; the text says why.
 */
export interface Finding {
  readonly check: string;
  readonly state: "ok" | "note" | "problem" | "skipped";
  readonly text: string;
  /** The fields to compare with the simulator; empty if there is nothing to compare. */
  readonly fields: Fields;
  /** The window, if the service revealed it. */
  readonly windowTokens?: number;
  /** `pointless`: the service is unreachable, or rejects the key. @default "of use" */
  readonly furtherCalls?: "of use" | "pointless";
}

/** A planned call that may be billed. */
export interface PlannedCall {
  readonly inputTokens: number;
  readonly likelyOutputTokens: number;
  readonly mostOutputTokens: number;
  /** `cached`: most input is likely read from the cache. `refused`: likely not billed. @default "answered" */
  readonly likely?: "answered" | "cached" | "refused";
}

/** A few calls that check one or more properties of a service. */
export interface Probe {
  /** The name of the check, for the report. */
  readonly check: string;
  /** What the probe does, shown before it starts. */
  readonly about: string;
  /** The most calls, including free ones. */
  readonly calls: number;
  /** The calls that may be billed. */
  plan(target: RequestLimits): readonly PlannedCall[];
  run(endpoint: Endpoint, target: RequestLimits): Promise<readonly Finding[]>;
}
