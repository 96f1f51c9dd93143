// Every error class of the engine. docs/errors.md explains the codes.

/** The base class of all errors of this library. Each class has a stable code, and fields with the numbers that explain the error. */
export abstract class PalimpsestError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    const { code } = new.target as { readonly code?: string };
    // Shows the code like an error of Node, so that a log has the heading to look up in docs/errors.md.
    if (code !== undefined) this.stack = this.stack?.replace(/^\w+/, `${this.name} [${code}]`) ?? "";
  }

  /** Tests an error for this class. Works across copies of this package, where `instanceof` does not. Call it on the error class. */
  static isInstance<Kind extends PalimpsestError>(
    this: { readonly code: string; readonly prototype: Kind },
    error: unknown,
  ): error is Kind {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class that isInstance is called on.
    return error instanceof Error && "code" in error && error.code === this.code;
  }
}

/** An error about one file or folder. */
export abstract class PathError extends PalimpsestError {
  readonly path: string;

  constructor(path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.path = path;
  }
}

const MAX_SHOWN = 200;

/** An invalid option or argument: its name, its value, and the expected value. */
export class InvalidOptionError extends PalimpsestError {
  static readonly code = "invalid-option";
  readonly code: string = InvalidOptionError.code;
  readonly option: string;
  readonly value: unknown;

  constructor(option: string, value: unknown, needed: string, message?: string) {
    super(message ?? `${option} is ${shown(value)}; it must be ${needed}.`);
    this.option = option;
    this.value = value;
  }
}

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (typeof value === "function") return "a function";
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    // Cyclic objects and big integers have no JSON form.
    text = Object.prototype.toString.call(value);
  }
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}

/** Another writer has the session open. */
export class SessionBusyError extends PalimpsestError {
  static readonly code = "session-busy";
  readonly code: string = SessionBusyError.code;
  readonly session: string;
  readonly owner: string;
  /** When the owner last renewed its lease. */
  readonly activeAtMs: number;
  /** When the session becomes free, if its owner does not renew the lease. */
  readonly freeAtMs: number;

  constructor(busy: { session: string; owner: string; activeAtMs: number; freeAtMs: number }) {
    super(
      `Session ${busy.session} is open in ${busy.owner}, which was active at ${timeText(busy.activeAtMs)}. Close it there, or ` +
        `end that process, then try again. If that process has died, the session is free at ${timeText(busy.freeAtMs)}.`,
    );
    this.session = busy.session;
    this.owner = busy.owner;
    this.activeAtMs = busy.activeAtMs;
    this.freeAtMs = busy.freeAtMs;
  }
}

/** Formats a time, rounded to seconds. */
function timeText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** This process may no longer write the session. The content of the failed append is not in the log. */
export class SessionLostError extends PalimpsestError {
  static readonly code = "session-lost";
  readonly code: string = SessionLostError.code;
  readonly session: string;

  constructor(session: string, because: string) {
    super(`Nothing was written to session ${session}: ${because}. Open it again to continue from its current state.`);
    this.session = session;
  }
}

/** The session has no message to send. */
export class NothingToSendError extends PalimpsestError {
  static readonly code = "nothing-to-send";
  readonly code: string = NothingToSendError.code;

  constructor(session: string) {
    super(`Session ${session} has no message to send. Append a user message, then prepare the request.`);
  }
}

/** The window is too full: a response would not fit. */
export class WindowFullError extends PalimpsestError {
  static readonly code = "window-full";
  readonly code: string = WindowFullError.code;
  readonly sizeTokens: number;
  readonly hardLimitTokens: number;
  readonly windowTokens: number;

  constructor(full: { sizeTokens: number; hardLimitTokens: number; windowTokens: number }) {
    super(
      `The session has about ${full.sizeTokens} tokens. Above ${full.hardLimitTokens} (window ${full.windowTokens}) there is ` +
        "no room for an answer. Compact the session, snip or rewind messages, or use a model with a larger window.",
    );
    this.sizeTokens = full.sizeTokens;
    this.hardLimitTokens = full.hardLimitTokens;
    this.windowTokens = full.windowTokens;
  }
}

/** The operation cannot use this entry number. */
export class NoSuchEntryError extends PalimpsestError {
  static readonly code = "no-such-entry";
  readonly code: string = NoSuchEntryError.code;
  readonly entry: number;

  constructor(entry: number, needed: string) {
    super(`Entry ${entry} ${needed}.`);
    this.entry = entry;
  }
}

/** The content does not fit its kind of entry and could never be shown. Nothing was written. */
export class InvalidContentError extends PalimpsestError {
  static readonly code = "invalid-content";
  readonly code: string = InvalidContentError.code;
  readonly kind: string;

  constructor({ kind, payload }: { readonly kind: string; readonly payload: string }) {
    const shown = payload.length > 200 ? `${payload.slice(0, 200)}...` : payload;
    super(
      `Nothing was written: this is not a valid ${kind} entry: ${shown}. Messages have a role ("user" or "assistant") and blocks of ` +
        "the kinds of `Block`. user(), toolResult() and attachment() make them; readMessages() of a provider converts its own messages.",
    );
    this.kind = kind;
  }
}

/** A response was recorded for a request that this session did not prepare. */
export class UnknownRequestError extends PalimpsestError {
  static readonly code = "unknown-request";
  readonly code: string = UnknownRequestError.code;

  constructor(session: string) {
    super(
      `Session ${session} did not prepare this request, so it does not know which request the response answers. Pass record() the ` +
        "same object that prepare() returned, or no object for the newest request.",
    );
  }
}

/** The session cannot be forked. */
export class ForkError extends PalimpsestError {
  static readonly code = "fork";
  readonly code: string = ForkError.code;

  constructor(session: string, because: string) {
    super(`Session ${session} cannot be forked: ${because}.`);
  }
}

/** The pin is too large. Pins stay in every request, so a large one would leave no room for the work. */
export class PinTooLargeError extends PalimpsestError {
  static readonly code = "pin-too-large";
  readonly code: string = PinTooLargeError.code;
  readonly tokens: number;
  readonly mostTokens: number;

  constructor(tokens: number, mostTokens: number) {
    super(
      `This would pin about ${tokens} tokens. All pins together may have ${mostTokens}, a tenth of the window. Pin only ` +
        "the sentences that matter, or remove a pin.",
    );
    this.tokens = tokens;
    this.mostTokens = mostTokens;
  }
}
