import Anthropic from "@anthropic-ai/sdk";
import {
  ANTHROPIC_MODELS,
  type Ask,
  answer,
  createAnthropic,
  fetchInProcess,
  idleClock,
  type ManualClock,
  manualClock,
  type Reply,
  summarize,
} from "@palimpsest/provider-simulator";
import {
  memoryStore,
  openSession,
  type Provider,
  type QueryOptions,
  query,
  type Session,
  type SessionOptions,
  type Settings,
  type Store,
  type Tool,
} from "palimpsest";
import { type AnthropicMessage, type AnthropicRequest, type AnthropicResponse, anthropic } from "palimpsest/anthropic";
import type { PolicyOption } from "palimpsest/policy";
import type { Witness } from "./witness.ts";

/** Values of settings by name, and the policy if it is not that of the settings. */
export type Values = Partial<Settings> & { readonly policy?: PolicyOption };

export type AnthropicProvider = Provider<AnthropicRequest, AnthropicResponse, AnthropicMessage>;
export type LibrarySession = Session;
type Options = SessionOptions<AnthropicRequest, AnthropicResponse, AnthropicMessage>;
type Turn = Partial<QueryOptions>;

export interface WorldOptions {
  readonly model?: string;
  /** What the library is told of the model. @default 200,000 */
  readonly windowTokens?: number;
  /** What the service holds a request to. @default `windowTokens` */
  readonly trueWindowTokens?: number;
  /** Other models that the library knows the window of. */
  readonly windows?: Readonly<Record<string, number>>;
  /** `passes-when-idle`: whatever is waited for comes at once. @default "stands": it moves when it is told to */
  readonly time?: "stands" | "passes-when-idle";
  /** The model's mind for what is no turn of the conversation; undefined: as usual. */
  readonly mind?: (ask: Ask) => Reply | undefined;
  readonly provider?: (client: Anthropic, models: Record<string, { windowTokens: number }>) => AnthropicProvider;
}

/** A real client, the strict simulator behind it, and a clock that moves when it is told to. */
export interface World {
  readonly clock: ManualClock;
  readonly store: Store;
  readonly provider: AnthropicProvider;
  readonly model: string;
  /** Every request as it was sent, with its time. */
  readonly sent: readonly string[];
  open(options?: Partial<Options>): Promise<LibrarySession>;
  /** One turn, in which the model says this. Resolves to how it ended. */
  turn(session: LibrarySession, words: string, replies?: readonly Reply[], how?: Turn): Promise<string>;
}

const MONDAY_MS = Date.UTC(2026, 0, 5);

const SUMMARY: string = Array.from(
  { length: 9 },
  (_, index) => `## ${index + 1}. Section\nThe loader was renamed in src/load.ts, and all of it was tested.`,
).join("\n");

const NOTES =
  '<session-notes>\n<notes-section heading="Current state">\nThe loader is being renamed.\n</notes-section>\n</session-notes>';

export function openWorld(values: Values, witness: Witness, options: WorldOptions = {}): World {
  const { policy, ...settings } = values;
  const { model = "claude-sonnet-4-6", windowTokens = 200_000, trueWindowTokens = windowTokens } = options;
  const clock = manualClock(MONDAY_MS);
  const time = options.time === "passes-when-idle" ? idleClock(MONDAY_MS) : clock;
  const store = memoryStore({ clock: time, leaseMs: 0 });
  const queue: Reply[] = [];
  const script = (ask: Ask): Reply => options.mind?.(ask) ?? usualMind(ask) ?? queue.shift() ?? answer("Done.");
  const known = ANTHROPIC_MODELS.find(({ id }) => id === model) ?? { ...ANTHROPIC_MODELS[0]!, id: model };
  const face = createAnthropic({ clock: time, script, models: [{ ...known, windowTokens: trueWindowTokens }] });
  const sent: string[] = [];
  const inProcess = fetchInProcess({ face, clock: time });
  const client = new Anthropic({
    apiKey: "none",
    baseURL: "http://simulator",
    maxRetries: 0,
    fetch(url, init) {
      sent.push(`${time.now() - MONDAY_MS} ${new URL(String(url)).pathname} ${String(init?.body)}`);
      return inProcess(url, init);
    },
  });
  const models = Object.fromEntries(
    Object.entries({ [model]: windowTokens, ...options.windows }).map(([id, tokens]) => [id, { windowTokens: tokens }]),
  );
  const provider = options.provider?.(client, models) ?? anthropic(client, { models });
  return {
    clock,
    store,
    provider,
    model,
    sent,
    open: (more = {}) =>
      openSession({
        store,
        provider,
        model,
        clock: time,
        id: "s",
        system: "You are a careful engineer.",
        settings,
        ...(policy && { policy }),
        settingsFrom: { environment: {} },
        onEvent: witness.onEvent,
        ...more,
      }),
    async turn(session, words, replies = [], how = {}) {
      queue.push(...replies);
      const turn = query(session, { clock: time, tools: TOOLS, random: () => 0, prompt: words, ...how });
      for (;;) {
        const { done, value } = await turn.next();
        if (done !== true) continue;
        queue.length = 0;
        return value.kind === "failed" ? `failed: ${value.error.message}` : value.kind;
      }
    },
  };
}

/** What goes on in the background has ended: nothing there waits for anything but this process. */
export async function settle(world: World): Promise<void> {
  for (let quiet = 0, before = world.sent.length; quiet < 5; quiet++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (world.sent.length !== before) quiet = 0;
    before = world.sent.length;
  }
}

/** Summaries and notes, whenever they are asked for. */
export function usualMind({ userText, purpose }: Ask): Reply | undefined {
  if (purpose === "compaction") return answer(SUMMARY);
  if (purpose === "summary") return summarize(SUMMARY);
  return userText.includes("<session-notes>") ? answer(NOTES) : undefined;
}

/** So many words that tell nothing twice. */
export function prose(about: string, words: number): string {
  return Array.from({ length: words }, (_, index) => `${about}${index % 97}`).join(" ");
}

/** What a coding agent has: their results are as long as their input says. */
export const TOOLS: readonly Tool[] = ["Read", "Edit", "Bash", "Ask"].map((name) => ({
  name,
  description: `${name} something.`,
  inputSchema: { type: "object" },
  concurrency: "safe",
  execute(input) {
    const { file_path: path = name, words = 20 } = input as { file_path?: string; words?: number };
    return prose(`${path.replaceAll(/\W/g, "")}-`, words);
  },
}));
