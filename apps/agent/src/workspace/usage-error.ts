/** An error in what the user typed. The message says how to correct it. */
export class UsageError extends Error {}
