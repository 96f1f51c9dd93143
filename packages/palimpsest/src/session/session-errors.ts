import { PalimpsestError } from "../log/palimpsest-error.ts";

/** Another writer has the session open. */
export class SessionBusyError extends PalimpsestError {
  static readonly code = "session-busy";
  readonly code: string = SessionBusyError.code;
  readonly session: string;
  readonly owner: string;
  /** When the owner was last heard of. */
  readonly activeAtMs: number;
  /** When the session is free if nothing more is heard of its owner. */
  readonly freeAtMs: number;

  constructor(busy: { session: string; owner: string; activeAtMs: number; freeAtMs: number }) {
    super(
      `Session ${busy.session} is open in ${busy.owner}, which was active at ${timeText(busy.activeAtMs)}. Close it there, or ` +
        `end that process, then try again. If nothing more is heard of it, the session is free at ${timeText(busy.freeAtMs)}.`,
    );
    this.session = busy.session;
    this.owner = busy.owner;
    this.activeAtMs = busy.activeAtMs;
    this.freeAtMs = busy.freeAtMs;
  }
}

/** To the second, as nobody acts upon less. */
function timeText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** The session is not this process's to write any more. What was to be appended is not in the log. */
export class SessionLostError extends PalimpsestError {
  static readonly code = "session-lost";
  readonly code: string = SessionLostError.code;
  readonly session: string;

  constructor(session: string, because: string) {
    super(`Nothing was written to session ${session}: ${because}. Open it again to go on from what it holds now.`);
    this.session = session;
  }
}

/** There is nothing that could be sent. */
export class NothingToSendError extends PalimpsestError {
  static readonly code = "nothing-to-send";
  readonly code: string = NothingToSendError.code;

  constructor(session: string) {
    super(`Session ${session} has no message that could be sent. Append what the user says, then prepare the request.`);
  }
}

/** The view has reached the blocking level: a response would not fit behind it. */
export class WindowFullError extends PalimpsestError {
  static readonly code = "window-full";
  readonly code: string = WindowFullError.code;
  readonly sizeTokens: number;
  readonly blockingTokens: number;
  readonly windowTokens: number;

  constructor(full: { sizeTokens: number; blockingTokens: number; windowTokens: number }) {
    super(
      `The session has about ${full.sizeTokens} tokens; from ${full.blockingTokens} on (window ${full.windowTokens}) there is ` +
        "no room for an answer. Compact it, snip or rewind what is not needed, or use a model with a larger window.",
    );
    this.sizeTokens = full.sizeTokens;
    this.blockingTokens = full.blockingTokens;
    this.windowTokens = full.windowTokens;
  }
}

/** An entry number that the operation cannot use. */
export class NoSuchEntryError extends PalimpsestError {
  static readonly code = "no-such-entry";
  readonly code: string = NoSuchEntryError.code;
  readonly entry: number;

  constructor(entry: number, needed: string) {
    super(`Entry ${entry} ${needed}.`);
    this.entry = entry;
  }
}

/** Content that would be kept and never shown: it is not what its kind of entry needs. Nothing was written. */
export class InvalidContentError extends PalimpsestError {
  static readonly code = "invalid-content";
  readonly code: string = InvalidContentError.code;
  readonly kind: string;

  constructor({ kind, payload }: { readonly kind: string; readonly payload: string }) {
    const shown = payload.length > 200 ? `${payload.slice(0, 200)}...` : payload;
    super(
      `Nothing was written: this is no ${kind} entry: ${shown}. Messages have a role ("user" or "assistant") and blocks of ` +
        "the kinds of `Block`; user(), toolResult(), attachment() make them, and a provider's readMessages() turns its own into them.",
    );
    this.kind = kind;
  }
}

/** A response was recorded for a request that this session has not handed out. */
export class UnknownRequestError extends PalimpsestError {
  static readonly code = "unknown-request";
  readonly code: string = UnknownRequestError.code;

  constructor(session: string) {
    super(
      `Session ${session} did not hand out this request, so it cannot tell what the response answers. Give record() the ` +
        "very object that prepare() returned, or none for the newest.",
    );
  }
}

/** A fork was asked for where there can be none. */
export class ForkError extends PalimpsestError {
  static readonly code = "fork";
  readonly code: string = ForkError.code;

  constructor(session: string, because: string) {
    super(`Session ${session} cannot be forked: ${because}.`);
  }
}

/** A pin stays in every request: one that takes much of the window would leave no room for the work. */
export class PinTooLargeError extends PalimpsestError {
  static readonly code = "pin-too-large";
  readonly code: string = PinTooLargeError.code;
  readonly tokens: number;
  readonly mostTokens: number;

  constructor(tokens: number, mostTokens: number) {
    super(
      `This would pin about ${tokens} tokens; all pins together may have ${mostTokens}, a tenth of the window. Pin the ` +
        "sentences that matter, or take back a pin.",
    );
    this.tokens = tokens;
    this.mostTokens = mostTokens;
  }
}
