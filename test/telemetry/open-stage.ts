import Anthropic from "@anthropic-ai/sdk";
import {
  createAnthropic,
  fetchInProcess,
  type ManualClock,
  manualClock,
  type Script,
} from "@palimpsest/provider-simulator";
import {
  memoryStore,
  openSession,
  type Provider,
  type QueryOptions,
  query,
  type Session,
  type SessionEvent,
  type SessionOptions,
  type Store,
  type Tool,
  tool,
} from "palimpsest";
import { anthropic } from "palimpsest/anthropic";

export interface StageOptions {
  readonly script: Script;
  readonly windowTokens?: number;
  readonly tools?: readonly Tool[];
  readonly options?: Partial<SessionOptions<never, never, never>>;
  readonly onEvent: (event: SessionEvent) => void;
}

export interface OpenedStage {
  readonly session: Session;
  readonly provider: Provider;
  readonly store: Store;
  readonly clock: ManualClock;
  readonly model: string;
  /** A turn, to its end. */
  say(prompt: string, more?: Partial<QueryOptions>): Promise<void>;
}

const ANSWER_MS = 200;

/** Puts out as many bytes as it is asked for. */
export const READ: Tool = tool({
  name: "Read",
  description: "Reads a file.",
  inputSchema: { type: "object" },
  execute: ({ bytes }) => `${"A SECRET file ".repeat(Number(bytes ?? 20) / 14)}`,
});

/** A session through the real client, on a clock of its own, whose model follows a script. */
export async function openStage(stage: StageOptions): Promise<OpenedStage> {
  const { script, windowTokens, tools = [READ], options = {}, onEvent } = stage;
  const clock = manualClock();
  const face = createAnthropic({
    clock,
    script(ask) {
      clock.advance(ANSWER_MS);
      return script(ask);
    },
  });
  const client = new Anthropic({ apiKey: "none", maxRetries: 0, fetch: fetchInProcess({ face }) });
  const model = "claude-opus-5-5";
  const models = windowTokens === undefined ? {} : { models: { [model]: { windowTokens } } };
  const provider = anthropic(client, models) as Provider;
  const store = memoryStore({ leaseMs: 0, clock });
  const session = await openSession({
    id: "s",
    store,
    provider,
    model,
    clock,
    onEvent,
    system: "You are a careful engineer. ".repeat(2_000),
    settingsFrom: { environment: {} },
    ...(options as object),
  });
  const say: OpenedStage["say"] = async (prompt, more = {}) => {
    for await (const _ of query(session, { tools, prompt, clock, ...more }));
  };
  return { session, provider, store, clock, say, model };
}
