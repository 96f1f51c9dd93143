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
  /** A requirement that not every machine meets: recorded sessions, a pseudo terminal by `script` of util-linux, or Debian's Chromium. */
  readonly needs?: "traces" | "script" | "chromium";
  /**
   * `counts`: counts, memory, or the processor's time, which are the same on a busy machine: the gate runs it beside its tests.
   * `waits`: times of servers and programs, which leave a processor to whoever works. @default "times": of what works all the time
   */
  readonly figures?: "counts" | "times" | "waits";
  run(options: BenchOptions): Promise<Figures>;
}
