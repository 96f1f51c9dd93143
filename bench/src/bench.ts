/** The report of a bench: figures by name. Timings are meaningful only beside others of the same run. */
export type Figures = Readonly<Record<string, unknown>>;

export interface BenchOptions {
  /** "quick" keeps the run short enough for the gate; figures of a quick run are for floors, not for quoting. */
  readonly size: "full" | "quick";
  /** Only cases with this text, where a bench has cases. */
  readonly only?: string;
}

export interface Bench {
  readonly name: string;
  readonly about: string;
  /** A requirement that not every machine meets: recorded sessions, or a pseudo terminal by `script` of util-linux. */
  readonly needs?: "traces" | "script";
  /** `counts`: the figures are the same on a busy machine, so the gate runs it beside its tests. @default "times" */
  readonly figures?: "counts" | "times";
  run(options: BenchOptions): Promise<Figures>;
}
