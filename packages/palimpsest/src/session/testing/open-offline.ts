// Opens sessions without a service, for tests of everything that happens before a request is sent.

import type { ToolDefinition } from "../../log/payload.ts";
import {
  type AnthropicClient,
  type AnthropicMessage,
  type AnthropicRequest,
  type AnthropicResponse,
  anthropic,
} from "../../providers/anthropic.ts";
import type { SessionOptions } from "../../state/options.ts";
import type { Store } from "../../stores/store.ts";
import { openSession } from "../open.ts";
import type { Session } from "../session.ts";

/** Opens a session whose provider has no client. Takes the session over if it is open elsewhere. */
export function openOffline(
  store: Store,
  options: Partial<SessionOptions<AnthropicRequest, AnthropicResponse, AnthropicMessage>> = {},
): Promise<Session<AnthropicRequest, AnthropicResponse>> {
  const provider = anthropic({} as AnthropicClient);
  return openSession({ store, id: "s", provider, model: "claude-opus-5-5", takeover: "always", ...options });
}

export const LOOK: ToolDefinition = { name: "look", inputSchema: { type: "object" } };
