/** What a request asks of the provider beside an answer: to clear what is stale, each in its own way. */
export interface RequestedEdits {
  readonly edits?: ProviderEdits;
  /** What is to be read without, of the prompt that the provider has cached. Sent with every request for which it holds. */
  readonly deleted?: readonly DeletedResult[];
}

/**
 * What a provider is asked to leave out of a request by itself. The conversation that is sent stays whole, so that thinking
 * which is bound to it stays valid.
 */
export interface ProviderEdits {
  readonly results: ResultEdits;
  /** Thinking of earlier turns: all of it stays, or only that of turns from an entry on. */
  readonly thinking: "all" | KeptThinking;
}

/** Oldest results first, all but the newest, of every tool that is not kept. */
export interface ResultEdits {
  /** Nothing is left out of a request with less input. */
  readonly aboveTokens: number;
  /** Nothing is left out if it would come to less: it has to be worth the cache it moves. */
  readonly minimumTokens: number;
  readonly keepNewest: number;
  /** Tools whose results always stay. */
  readonly keptTools: readonly string[];
  /** Tools whose calls lose their input along with the result: the bulk of a write is in its input. */
  readonly inputsOf: readonly string[];
}

export interface KeptThinking {
  readonly from: number;
  /** How many turns with thinking there are from that entry on, at least 1: providers count from the end. */
  readonly turns: number;
}

/** What a provider says it has left out. It counts, and names none. */
export interface AppliedEdits {
  readonly results: number;
  readonly thinkingTurns: number;
  readonly tokens: number;
}

/** A result that is deleted from the provider's cached prompt. In the view it stands as before. */
export interface DeletedResult {
  readonly entry: number;
  readonly callId: string;
}
