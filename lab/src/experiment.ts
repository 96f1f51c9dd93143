/** The figures of an experiment, by name. Compare times only with other times of the same run. */
export type Figures = Readonly<Record<string, unknown>>;

export interface ExperimentOptions {
  /** "quick" takes seconds or a few minutes. Its figures are compared with targets, and are not for publication. */
  readonly size: "full" | "quick";
  /** Runs only the cases whose name contains this text, in experiments that have cases. */
  readonly only?: string;
  /** Takes so many cases, spread over all, in experiments that have many. @default all */
  readonly sample?: number;
  /** Writes a line of JSON for each case to this file, in experiments that have cases. @default no file */
  readonly rows?: string;
}

export interface Experiment {
  readonly name: string;
  readonly about: string;
  /** Recorded sessions, which not every machine has (`PALIMPSEST_TRACES`). */
  readonly needs?: "traces";
  run(options: ExperimentOptions): Promise<Figures>;
  /** Compares the figures with what the product promises. The command prints the problems, and fails if there are any. */
  judge?(figures: Figures, options: ExperimentOptions): readonly string[];
}
