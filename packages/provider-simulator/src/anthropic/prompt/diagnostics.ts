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

interface Remembered extends Pick<Sent, "head" | "prompt"> {
  readonly model: string;
  readonly settings: string;
}

/** Remembers what was sent for each answer, and says where a later prompt first departs from it. */
export class CacheDiagnostics {
  readonly #sent = new Map<string, Remembered>();
  /** Beyond the horizon only whose answer it was is still known. */
  readonly #accounts = new Map<string, string>();
  readonly #recent: string[] = [];

  remember(messageId: string, sent: Sent): void {
    const { account, head, prompt } = sent;
    this.#sent.set(messageId, { head, prompt, model: modelKey(sent), settings: settingsKey(sent) });
    this.#accounts.set(messageId, account);
    this.#recent.push(messageId);
    if (this.#recent.length > HORIZON) this.#sent.delete(this.#recent.shift()!);
  }

  /** Null: not asked, or nothing departs. Independent of whether the cache really hit. */
  compare(now: Sent): { cache_miss_reason: CacheMissReason } | null {
    const previousId = now.request.diagnostics?.previous_message_id;
    if (previousId === undefined || previousId === null) return null;
    if (this.#accounts.get(previousId) !== now.account)
      return { cache_miss_reason: { type: "previous_message_not_found" } };
    const before = this.#sent.get(previousId);
    if (before === undefined) return { cache_miss_reason: { type: "unavailable" } };
    const shared = before.prompt.prefix.sharedLength(now.prompt.prefix);
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

function modelKey({ request }: Pick<Sent, "request">): string {
  return `${request.model}/${request.speed ?? "standard"}`;
}

function settingsKey({ request, call }: Pick<Sent, "request" | "call">): string {
  const { thinking, tool_choice, context_management, output_config } = request;
  return JSON.stringify([thinking, tool_choice, context_management, output_config, [...(call.betas ?? [])].sort()]);
}
