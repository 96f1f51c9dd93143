/** How the program ends, for the script that started it. They are part of what is promised: none changes its meaning. */
export const EXIT = {
  done: 0,
  /** The provider did not answer, the window is full, a session is in use: what was said tells which. */
  failed: 1,
  /** The command line makes no sense. Nothing was done. */
  usage: 2,
  /** The model declined, or calls were not allowed: the output names the rules that would allow them. */
  refused: 3,
  /** `--max-rounds` was reached before the model was done; `--continue` goes on. */
  roundsUsedUp: 4,
  /** `--max-usd` was reached before the model was done; `--continue` goes on. */
  budgetUsedUp: 5,
  /** SIGINT; the session can be gone on with. */
  interrupted: 130,
  /** SIGTERM, likewise. */
  terminated: 143,
} as const;

export type Ending = keyof typeof EXIT;

/** The same in words, for the pages that teach. */
export const ENDINGS: Readonly<Record<Ending, string>> = {
  done: "done",
  failed: "failed: what was said tells why",
  usage: "a command line that makes no sense; nothing was done",
  refused: "the model declined, or calls were not allowed: the rules are named that would allow them",
  roundsUsedUp: "--max-rounds was reached before the model was done",
  budgetUsedUp: "--max-usd was reached before the model was done",
  interrupted: "interrupted (SIGINT)",
  terminated: "terminated (SIGTERM)",
};
