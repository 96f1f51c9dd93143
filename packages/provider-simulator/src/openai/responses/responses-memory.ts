import type { Prefix } from "../../prefix.ts";
import { invalidRequest, type Problem } from "../problem.ts";
import type { ReadItem } from "./items.ts";

/** What the service remembers of an item it produced. */
interface MintedItem {
  /** The reasoning that came right before it. */
  readonly reasoningId?: string;
  /** What came right after a reasoning item. */
  readonly followedBy?: { readonly id: string; readonly type: string; readonly callId?: string };
  /** The item itself, if the response was stored. */
  readonly stored?: ReadItem;
}

/** What prompt cache diagnostics compare. */
export interface Fingerprint {
  readonly settings: Readonly<Record<string, string>>;
  readonly prefix: Prefix;
  readonly compacted: "compacted" | "whole";
}

// Diagnostics look back at recent responses only; older ones are "unavailable", a word the service has for it.
const MAX_FINGERPRINTS = 64;

/** Of one account: stored responses, and which reasoning each item the model ever produced belongs to. */
export class ResponsesMemory {
  readonly #conversations = new Map<string, readonly ReadItem[]>();
  readonly #minted = new Map<string, MintedItem>();
  readonly #fingerprints = new Map<string, Fingerprint | undefined>();
  readonly #recent: string[] = [];

  /** Keeps the conversation up to and including a response, for `previous_response_id`. */
  storeConversation(responseId: string, items: readonly ReadItem[]): void {
    this.#conversations.set(responseId, items);
  }

  conversationOf(responseId: string): readonly ReadItem[] | undefined {
    return this.#conversations.get(responseId);
  }

  /** Remembers a response's output: which item follows which reasoning. */
  rememberOutput(output: readonly ReadItem[], storing: "stored" | "not-stored"): void {
    for (const [index, item] of output.entries()) {
      if (item.id === undefined) continue;
      const before = output[index - 1];
      const after = output[index + 1];
      this.#minted.set(item.id, {
        ...(before?.type === "reasoning" && before.id !== undefined ? { reasoningId: before.id } : {}),
        ...(item.type === "reasoning" && after?.id !== undefined ? { followedBy: { ...after, id: after.id } } : {}),
        ...(storing === "stored" ? { stored: item } : {}),
      });
    }
  }

  minted(id: string): MintedItem | undefined {
    return this.#minted.get(id);
  }

  keepFingerprint(responseId: string, fingerprint: Fingerprint): void {
    this.#fingerprints.set(responseId, fingerprint);
    this.#recent.push(responseId);
    if (this.#recent.length > MAX_FINGERPRINTS) this.#fingerprints.set(this.#recent.shift()!, undefined);
  }

  fingerprintOf(responseId: string): Fingerprint | "not-found" | "unavailable" {
    if (!this.#fingerprints.has(responseId)) return "not-found";
    return this.#fingerprints.get(responseId) ?? "unavailable";
  }
}

/** bifrost#2441. */
export function previousResponseNotFound(id: string): Problem {
  const message = `Previous response with id '${id}' not found.`;
  return invalidRequest(message, { param: "previous_response_id", code: "previous_response_not_found" });
}

/** oh-my-pi#41: 404, with a hint where the item existed but was not to be stored. */
export function itemNotFound(id: string, reason: "unknown" | "not-stored"): Problem {
  const hint =
    " Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.";
  return invalidRequest(`Item with id '${id}' not found.${reason === "not-stored" ? hint : ""}`, {
    status: 404,
    param: "input",
  });
}
