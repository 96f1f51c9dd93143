/** The exit codes of the program. They are part of the public interface, so their meanings never change. */
export const EXIT = {
  done: 0,
  /**
   * The provider did not answer, the window is full, or a session is in use. The message on standard error says which.
   */
  failed: 1,
  /** The command line is invalid. Nothing was done. */
  usage: 2,
  /** The model declined, or tool calls were denied. The output names the rules that would allow them. */
  refused: 3,
  /** The run reached `--max-rounds` before the model was done. `--continue` resumes the session. */
  roundsUsedUp: 4,
  /** The run reached `--max-usd` before the model was done. `--continue` resumes the session. */
  budgetUsedUp: 5,
  /** The run was interrupted by SIGINT. `--continue` resumes the session. */
  interrupted: 130,
  /** The run was terminated by SIGTERM. `--continue` resumes the session. */
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
