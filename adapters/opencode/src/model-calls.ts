// Makes a session's own model calls through opencode.

import type { OpencodeClient } from "./opencode-plugin.ts";
import { toOpencode } from "./render-message.ts";
import type { LiveCall, OpencodeMessage, OpencodeRequest } from "./wire.ts";

/** The session's own model calls, such as summaries. opencode makes them with its keys. */
export interface ModelCalls {
  ask(live: LiveCall, request: OpencodeRequest, signal: AbortSignal | undefined): Promise<OpencodeMessage>;
  isOwn(session: string): boolean;
  /** Replaces the messages that opencode would send by the messages of the call. */
  fill(session: string, messages: OpencodeMessage[]): Promise<void>;
}

/**
 * Creates the session's own calls. Each call runs in a temporary child session of opencode with the same agent, so the request
 * begins with the system prompt and tools that are in the prompt cache. The child session is deleted after the call.
 */
export function createModelCalls(client: OpencodeClient): ModelCalls {
  const open = new Map<string, { readonly messages: readonly OpencodeMessage[]; requests: number }>();
  return {
    isOwn: (session) => open.has(session),
    async fill(session, messages) {
      const call = open.get(session);
      if (call === undefined) return;
      call.requests++;
      // A second request means that the model called a tool instead of answering, so the call is aborted to prevent a loop.
      if (call.requests > 1) await client.session.abort({ path: { id: session } });
      messages.splice(0, messages.length, ...call.messages);
    },
    async ask({ session: parentID, providerID, id: modelID, agent, like }, request, signal) {
      const { data: child } = await client.session.create({ body: { parentID, title: "Palimpsest: summary" } });
      if (child === undefined) throw new Error("opencode did not create a session for the summary.");
      const path = { id: child.id };
      open.set(child.id, { messages: toOpencode(request.pieces, like), requests: 0 });
      try {
        const parts = [{ type: "text" as const, text: "Summarize." }];
        const body = { model: { providerID, modelID }, ...(agent && { agent }), parts };
        const { data, error } = await client.session.prompt({ path, body, ...(signal && { signal }) });
        const answer = data as OpencodeMessage | undefined;
        const cause = error ?? answer?.info["error"];
        if (answer === undefined || cause !== undefined) throw new Error("The call for a summary failed.", { cause });
        return answer;
      } finally {
        open.delete(child.id);
        await client.session.delete({ path });
      }
    },
  };
}
