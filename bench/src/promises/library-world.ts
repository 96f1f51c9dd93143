import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import {
  createAnthropic,
  createOpenAiChat,
  createOpenAiResponses,
  type Exchange,
  type Script,
  serve,
} from "@palimpsest/provider-simulator";
import OpenAI from "openai";
import type { SessionEvent, Store } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { openaiChat, openaiResponses } from "palimpsest/openai";
import { sqliteStore } from "palimpsest/sqlite-store";

/** What a builder has around the library: clients of the providers, a store on disk, and a listener. */
export interface LibraryWorld {
  readonly url: string;
  readonly anthropic: ReturnType<typeof anthropic>;
  readonly openaiResponses: ReturnType<typeof openaiResponses>;
  readonly openaiChat: ReturnType<typeof openaiChat>;
  readonly store: Store;
  /** All that a session told that was opened with `onEvent`. */
  readonly events: readonly SessionEvent[];
  readonly onEvent: (event: SessionEvent) => void;
  /** Requests that arrived at the simulator, oldest first. */
  readonly exchanges: () => readonly Exchange[];
  close(): Promise<void>;
}

/** The real clients against a simulated provider whose model follows a script. */
export async function openWorld(folder: string, script: Script): Promise<LibraryWorld> {
  const faces = [createAnthropic({ script }), createOpenAiResponses({ script }), createOpenAiChat({ script })];
  const server = await serve({ faces });
  const openai = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0 });
  const events: SessionEvent[] = [];
  return {
    url: server.url,
    anthropic: anthropic(new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 })),
    openaiResponses: openaiResponses(openai),
    openaiChat: openaiChat(openai),
    store: sqliteStore({ folder: join(folder, "sessions") }),
    events,
    onEvent: (event) => events.push(event),
    exchanges: () => server.recorder.exchanges,
    close: () => server.close(),
  };
}
