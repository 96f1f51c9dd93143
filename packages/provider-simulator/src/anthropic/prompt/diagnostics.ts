import { sameDigest } from "../../digest.ts";
import type { CallOptions, MessagesRequest } from "../request.ts";
import type { Head } from "./head.ts";
import type { RenderedPrompt } from "./render.ts";

/** How many answers can still be compared with. */
const HORIZON = 256;

export type CacheMissReason =
  | {
      readonly type: "model_changed" | "tools_changed" | "system_changed" | "messages_changed";
      readonly cache_missed_input_tokens: number;
    }
  | { readonly type: "previous_message_not_found" | "unavailable" };

/** One request as the comparison sees it. */
export interface Sent {
  readonly request: MessagesRequest;
  readonly call: CallOptions;
  readonly account: string;
  readonly head: Head;
  readonly prompt: RenderedPrompt;
}

interface Remembered extends Pick<Sent, "account" | "head" | "prompt"> {
  readonly model: string;
  readonly settings: string;
}

/** Remembers what was sent for each answer, and says where a later prompt first departs from it. */
export class CacheDiagnostics {
  readonly #sent = new Map<string, Remembered | "beyond-horizon">();
  #oldest: string[] = [];

  remember(messageId: string, sent: Sent): void {
    const { account, head, prompt } = sent;
    this.#sent.set(messageId, { account, head, prompt, model: modelKey(sent), settings: settingsKey(sent) });
    this.#oldest.push(messageId);
    if (this.#oldest.length > HORIZON) this.#sent.set(this.#oldest.shift()!, "beyond-horizon");
  }

  /** Null: not asked, or nothing departs. Independent of whether the cache really hit. */
  compare(now: Sent): { cache_miss_reason: CacheMissReason } | null {
    const previousId = now.request.diagnostics?.previous_message_id;
    if (previousId === undefined || previousId === null) return null;
    const before = this.#sent.get(previousId);
    if (before === "beyond-horizon") return { cache_miss_reason: { type: "unavailable" } };
    if (before?.account !== now.account) return { cache_miss_reason: { type: "previous_message_not_found" } };
    const shared = sharedLength(before.prompt, now.prompt);
    const missed = (type: "model_changed" | "tools_changed" | "system_changed" | "messages_changed") => {
      const kept = type === "model_changed" ? 0 : before.prompt.prefix.tokensAt(shared);
      const cache_missed_input_tokens = before.prompt.prefix.tokens - kept;
      return { cache_miss_reason: { type, cache_missed_input_tokens } };
    };
    if (before.model !== modelKey(now)) return missed("model_changed");
    if (!sameDigest(before.head.tools, now.head.tools)) return missed("tools_changed");
    if (!sameDigest(before.head.system, now.head.system)) return missed("system_changed");
    if (before.settings !== settingsKey(now)) return { cache_miss_reason: { type: "unavailable" } };
    return shared === before.prompt.prefix.length ? null : missed("messages_changed");
  }
}

/** How many leading blocks two prompts share. Fingerprints are of whole prefixes, so they can be searched by halves. */
function sharedLength(before: RenderedPrompt, now: RenderedPrompt): number {
  let low = 0;
  let high = Math.min(before.prefix.length, now.prefix.length);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sameDigest(before.prefix.digestAt(middle), now.prefix.digestAt(middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

function modelKey({ request }: Pick<Sent, "request">): string {
  return `${request.model}/${request.speed ?? "standard"}`;
}

function settingsKey({ request, call }: Pick<Sent, "request" | "call">): string {
  const { thinking, tool_choice, context_management, output_config } = request;
  return JSON.stringify([thinking, tool_choice, context_management, output_config, [...(call.betas ?? [])].sort()]);
}
