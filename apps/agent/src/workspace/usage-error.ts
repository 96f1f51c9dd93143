/** An error in the user's input. The message says how to correct it. */
export class UsageError extends Error {}
