// The parts of opencode's plugin interface that the plugin uses.

import type { JsonObject } from "palimpsest/schema";
import type { OpencodeMessage } from "./wire.ts";

/** The parts of opencode's plugin input that the plugin uses. */
export interface OpencodeInput {
  readonly client: OpencodeClient;
}

/** The parts of opencode's client that the plugin uses. */
export interface OpencodeClient {
  readonly app: { log(call: { body: { service: string; level: "info" | "warn"; message: string } }): Promise<unknown> };
  readonly config: { providers(): Promise<{ data?: unknown }> };
  readonly session: {
    create(call: { body: { parentID: string; title: string } }): Promise<{ data?: { id: string } | undefined }>;
    prompt(call: {
      path: { id: string };
      body: { model: { providerID: string; modelID: string }; agent?: string; parts: { type: "text"; text: string }[] };
      signal?: AbortSignal;
    }): Promise<{ data?: unknown; error?: unknown }>;
    abort(call: { path: { id: string } }): Promise<unknown>;
    delete(call: { path: { id: string } }): Promise<unknown>;
  };
}

/** The hooks that opencode calls. */
export interface OpencodeHooks {
  dispose(): Promise<void>;
  readonly tool: { readonly recall: OpencodeTool };
  "tool.definition"(input: { toolID: string }, output: { description?: string; jsonSchema?: unknown }): Promise<void>;
  "tool.execute.before"(input: { sessionID: string }): Promise<void>;
  "experimental.chat.messages.transform"(input: unknown, output: { messages: OpencodeMessage[] }): Promise<void>;
  "experimental.session.compacting"(input: { sessionID: string }): Promise<void>;
}

export interface OpencodeTool {
  readonly description: string;
  readonly args: JsonObject;
  execute(args: JsonObject, context: { sessionID: string }): Promise<string>;
}
