import { asObject, asString, type JsonObject } from "palimpsest/schema";

/** A response as far as the ledger and the log need it. */
export interface WireResponse {
  readonly id?: string;
  readonly model?: string;
  /** What the model said, in the form in which the next request repeats it. */
  readonly items: readonly unknown[];
  /** As the service counted it. */
  readonly usage?: JsonObject;
  /** `cut`: the end is missing, or the service broke off. */
  readonly ended: "whole" | "cut";
}

/** Takes id, model and usage from an object that has them under their usual names. */
export function toResponse(from: JsonObject, items: readonly unknown[], ended: WireResponse["ended"]): WireResponse {
  const [id, model, usage] = [asString(from["id"]), asString(from["model"]), asObject(from["usage"])];
  return {
    items,
    ended,
    id,
    model,
    usage,
  };
}
