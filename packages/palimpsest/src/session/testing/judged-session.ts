// A session for tests whose requests are judged in this process, with a clock that tests can change.

import {
  answer,
  callTool,
  callTools,
  createAnthropic,
  type ManualClock,
  manualClock,
  type Reply,
} from "@palimpsest/provider-simulator";
import { readPayload } from "../../log/entry.ts";
import { toolResult } from "../../log/messages.ts";
import type { ToolDefinition } from "../../log/payload.ts";
import {
  type AnthropicMessage,
  type AnthropicRequest,
  type AnthropicResponse,
  anthropic,
} from "../../providers/anthropic.ts";
import type { Provider } from "../../providers/provider.ts";
import type { SessionEvent } from "../../session-event.ts";
import type { SessionOptions } from "../../state/options.ts";
import { memoryStore } from "../../stores/memory-store.ts";
import type { Store } from "../../stores/store.ts";
import { openSession } from "../open.ts";
import type { Session } from "../session.ts";

export const JUDGED_MODEL = "claude-opus-5-5";
export const JUDGED_TOOLS: readonly ToolDefinition[] = [
  { name: "Read", inputSchema: { type: "object" } },
  { name: "AskUser", inputSchema: { type: "object" }, results: "kept" },
];

type JudgedOptions = Partial<SessionOptions<AnthropicRequest, AnthropicResponse, AnthropicMessage>>;

export interface JudgedSession {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly events: readonly SessionEvent[];
  /** The session. After `reopen`, the newest one. */
  readonly session: Session<AnthropicRequest, AnthropicResponse>;
  reopen(more?: JudgedOptions): Promise<void>;
  /** Runs one round with this reply of the model. Resolves to the ids of its calls. */
  ask(reply?: Reply): Promise<readonly string[]>;
  /** Runs one round for each file, whose content has about 1,500 tokens. */
  read(count: number, tool?: string): Promise<void>;
  entries(): Promise<readonly ReturnType<typeof readPayload>[]>;
}

/** Opens a session without a server. `options` also apply to reopened sessions. */
export async function openJudged(options: JudgedOptions = {}): Promise<JudgedSession> {
  const clock = manualClock();
  const store = memoryStore({ clock, leaseMs: 0 });
  const events: SessionEvent[] = [];
  let reply: Reply = answer("Done.");
  const face = createAnthropic({ clock, script: () => reply });
  const provider: Provider<AnthropicRequest, AnthropicResponse, AnthropicMessage> = anthropic({} as never);
  const open = (more: JudgedOptions = {}) =>
    openSession({
      ...{ store, id: "s", provider, model: JUDGED_MODEL, tools: JUDGED_TOOLS, clock },
      settingsFrom: { environment: {} },
      onEvent: (event) => events.push(event),
      ...options,
      ...more,
    });
  let session = await open();
  let index = 0;
  async function ask(next: Reply = answer("Done.")): Promise<readonly string[]> {
    reply = next;
    const request = await session.prepare();
    const answered = face.answer(request);
    if (answered.kind === "refused") throw new Error(answered.message);
    const { calls } = await session.record(answered.response as unknown as AnthropicResponse, request);
    return calls.map(({ id }) => id);
  }
  return {
    store,
    clock,
    events,
    ask,
    get session() {
      return session;
    },
    async reopen(more = {}) {
      session = await open({ takeover: "always", ...more });
    },
    async read(count, tool = "Read") {
      for (let left = count; left > 0; left--) {
        const path = `${index++}.ts`;
        const [id] = await ask(callTools(callTool(tool, { file_path: path })));
        await session.append(toolResult(id!, `content of ${path} `.repeat(300)));
      }
    },
    async entries() {
      const reader = (await store.openReader("s"))!;
      return (await reader.read(1, session.history.newestEntry)).map(readPayload);
    },
  };
}
