/** The output of the experiment. */
export interface LadderFigures {
  readonly models: readonly RowFigures[];
  /** Requests that the strict simulator refused, over all rows. */
  readonly refused: number;
  readonly controls: readonly ControlFigures[];
}

/** The figures of one program on one model. */
export interface RowFigures extends PauseFigures {
  readonly model: string;
  readonly via: "agent" | "library";
  readonly fork_cache_read_pct: ForkFigures;
  /** The worst error of a forecast: warm, cold, after a compaction. */
  readonly next_request_error_pct: number;
  readonly folder_rules_cases: number;
  readonly folder_rules_missing: number;
  readonly layers: readonly LayerAction[];
}

export interface PauseFigures {
  /** The layer that wrote the first decision after the pause. */
  readonly first_layer: "clear" | "compact" | "none";
  readonly stubs_after: number;
  readonly whole_results_after: number;
  readonly tokens_before_pause: number;
  readonly tokens_after_pause: number;
  readonly cache_read_after_pause: number;
}

/** The cache read of the first request of a fork, as a share of what its parent left in the cache. */
export interface ForkFigures {
  readonly summary: number;
  /** The worst of three forks that run at the same time. */
  readonly agent: number;
}

export type Layer = "storage" | "clearing" | "notes" | "compaction" | "memory" | "dreaming" | "agents";

/** Whether a layer acted in a scenario. */
export interface LayerAction {
  readonly layer: Layer;
  readonly acted: boolean;
  /** The scenario in which the layer acted, or why it did not act. */
  readonly scenario: string;
  /** The size of the prompt at that moment, and how much of it came from the cache. */
  readonly at_tokens: number | null;
  readonly cache_read_tokens: number | null;
  /** Compaction: how the summary was made. */
  readonly way: string | null;
  /** Layers that fork: the cache read as a share of what the parent left. */
  readonly fork_cache_read_pct: number | null;
}

/** A planted fault. `failed`: the judge found it. */
export interface ControlFigures {
  readonly name: string;
  readonly failed: boolean;
}
