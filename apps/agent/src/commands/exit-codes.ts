/** The exit codes of the program. They are part of the public interface: no code changes its meaning. */
export const EXIT = {
  done: 0,
  /** The provider did not answer, the window is full, a session is in use: the message on standard error says which. */
  failed: 1,
  /** The command line is invalid. Nothing was done. */
  usage: 2,
  /** The model declined, or tool calls were denied: the output names the rules that would allow them. */
  refused: 3,
  /** `--max-rounds` was reached before the model was done; `--continue` resumes. */
  roundsUsedUp: 4,
  /** `--max-usd` was reached before the model was done; `--continue` resumes. */
  budgetUsedUp: 5,
  /** SIGINT; `--continue` resumes the session. */
  interrupted: 130,
  /** SIGTERM; `--continue` resumes the session. */
  terminated: 143,
} as const;

export type Ending = keyof typeof EXIT;

/** The exit codes in words, for the help pages. */
export const ENDINGS: Readonly<Record<Ending, string>> = {
  done: "done",
  failed: "failed: the message on standard error says why",
  usage: "invalid command line; nothing was done",
  refused: "the model declined, or tool calls were denied; the output names the rules that would allow them",
  roundsUsedUp: "--max-rounds was reached before the model was done",
  budgetUsedUp: "--max-usd was reached before the model was done",
  interrupted: "interrupted (SIGINT)",
  terminated: "terminated (SIGTERM)",
};
