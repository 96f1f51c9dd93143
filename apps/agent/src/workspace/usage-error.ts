/** The user asked for something that makes no sense; the message says what would. */
export class UsageError extends Error {}
