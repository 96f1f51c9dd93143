// The messages and requests of opencode as the log keeps them.

import type { ModelFacts } from "palimpsest";
import type { JsonObject } from "palimpsest/schema";

/** The name of this wire form in logs. */
export const OPENCODE = "opencode";

/** A message of opencode: its metadata and its parts. */
export interface OpencodeMessage {
  readonly info: JsonObject;
  readonly parts: readonly JsonObject[];
}

/** The model that wrote an answer. opencode sends signed reasoning back to this model only. */
export interface Author {
  readonly providerID: string;
  readonly modelID: string;
}

/** A rendered piece of a conversation. opencode keeps results in the answer with their calls; `toOpencode` moves them there. */
export type OpencodePiece =
  | { readonly kind: "user"; readonly parts: readonly JsonObject[] }
  | { readonly kind: "answer"; readonly author: Author | undefined; readonly parts: readonly JsonObject[] }
  | { readonly kind: "result"; readonly callID: string; readonly state: JsonObject };

export interface OpencodeRequest {
  readonly model: string;
  readonly pieces: readonly OpencodePiece[];
  readonly maxTokens: number;
}

/** The model, agent and session of opencode's request, for the session's own calls. */
export interface LiveCall {
  /** The id of the model. */
  readonly id: string;
  readonly providerID: string;
  readonly agent: string | undefined;
  /** opencode's id of the session. */
  readonly session: string;
  /** The newest messages. Rendered messages copy their fields. */
  readonly like: { readonly user: JsonObject; readonly answer: JsonObject };
  readonly facts: Partial<ModelFacts>;
}
