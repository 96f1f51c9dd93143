/** The service that a contestant calls. */
export type Api = "anthropic-messages" | "openai-responses" | "openai-chat" | "gemini";

/** Where a contestant finds its model, the files of its task, and a folder for whatever it persists. */
export interface Place {
  /** Of a server with all services. */
  readonly url: string;
  readonly model: string;
  /** What the contestant is told about the window. */
  readonly windowTokens: number;
  /** The files that the model reads. */
  readonly workspace: string;
  /** Empty at first. A contestant that is started again after a kill finds here what it left. */
  readonly home: string;
  /** Of the long course. Only the oracle reads it. */
  readonly seed: string;
}

/** How a turn ended for the user. */
export type TurnEnd =
  | { readonly kind: "ended" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "late" };

/** A contestant in a process of its own. */
export interface Running {
  turn(text: string, limitMs: number): Promise<TurnEnd>;
  /** With SIGKILL, in the middle of whatever it does. */
  kill(): Promise<void>;
  close(): Promise<void>;
  /** The most memory that its process had, as far as the system tells. */
  peakMb(): number | undefined;
}

/** An agent or a library in an agent's loop. To enter one: docs/gauntlet.md. */
export interface Contestant {
  readonly name: string;
  /** `reference`: what nobody would use, to see the ends of the scale. */
  readonly kind: "ours" | "reference" | "library" | "agent";
  readonly api: Api;
  /** For agents that do not know how to call the service's usual model. @default that of the service */
  readonly model?: string;
  /**
   * Words of its request for a summary, if that request offers tools.
   * @default a request without tools is no part of the conversation
   */
  readonly summaryPrompt?: RegExp;
  /** Packages with their versions. */
  version(): string;
  /** Starts it, or starts it again on what it left in `home`. */
  start(place: Place): Promise<Running>;
}

/** One conversation of a library, in the process that `loopContestant` starts. */
export interface Loop {
  /** Runs a turn to its end, with tools. */
  turn(text: string): Promise<void>;
  close(): Promise<void>;
}

export type OpenLoop = (place: Place) => Promise<Loop>;
