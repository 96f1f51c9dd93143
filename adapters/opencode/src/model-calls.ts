import type { OpencodeClient } from "./opencode-plugin.ts";
import { toOpencode } from "./render-message.ts";
import type { LiveCall, OpencodeMessage, OpencodeRequest } from "./wire.ts";

/** Calls of models that a session makes by itself, such as those for summaries. opencode makes them, with its keys. */
export interface ModelCalls {
  ask(live: LiveCall, request: OpencodeRequest, signal: AbortSignal | undefined): Promise<OpencodeMessage>;
  isOwn(session: string): boolean;
  /** Puts the messages of a call in place of those that opencode would send. */
  fill(session: string, messages: OpencodeMessage[]): Promise<void>;
}

/**
 * Each call runs in an opencode session of its own, below the conversation, with the same agent: the same system prompt and tools, so that
 * the request begins with bytes that are in the prompt cache. That session is deleted when the call has ended.
 */
export function createModelCalls(client: OpencodeClient): ModelCalls {
  const open = new Map<string, { readonly messages: readonly OpencodeMessage[]; requests: number }>();
  return {
    isOwn: (session) => open.has(session),
    async fill(session, messages) {
      const call = open.get(session);
      if (call === undefined) return;
      call.requests++;
      // The model has called a tool instead of answering. Nobody wants a loop.
      if (call.requests > 1) await client.session.abort({ path: { id: session } });
      messages.splice(0, messages.length, ...call.messages);
    },
    async ask({ session: parentID, providerID, id: modelID, agent, like }, request, signal) {
      const { data: made } = await client.session.create({ body: { parentID, title: "Palimpsest: summary" } });
      if (made === undefined) throw new Error("opencode has not created a session for the summary.");
      const path = { id: made.id };
      open.set(made.id, { messages: toOpencode(request.pieces, like), requests: 0 });
      try {
        const parts = [{ type: "text" as const, text: "Summarize." }];
        const body = { model: { providerID, modelID }, ...(agent && { agent }), parts };
        const { data, error } = await client.session.prompt({ path, body, ...(signal && { signal }) });
        const answer = data as OpencodeMessage | undefined;
        const cause = error ?? answer?.info["error"];
        if (answer === undefined || cause !== undefined) throw new Error("The call for a summary failed.", { cause });
        return answer;
      } finally {
        open.delete(made.id);
        await client.session.delete({ path });
      }
    },
  };
}
