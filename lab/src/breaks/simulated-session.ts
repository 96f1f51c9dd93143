import {
  type Anthropic,
  callTool,
  callTools,
  createAnthropic,
  type ManualClock,
  manualClock,
  type Reply,
  think,
} from "@palimpsest/provider-simulator";
import { memoryStore, openSession, type Session, type ToolDefinition, toolResult } from "palimpsest";
import { type AnthropicResponse, anthropic } from "palimpsest/anthropic";
import { coding, fixedLifetimes } from "palimpsest/policy";

export interface SimulationOptions {
  /** Sizes vary with it. */
  readonly seed: number;
  /** @default "claude-opus-5-5" */
  readonly model?: string;
  /** @default none */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** @default "5m" */
  readonly cacheTtl?: "5m" | "1h";
  /** Whether the model thinks before it calls a tool; the parameters must allow it. @default "no" */
  readonly thinks?: "yes" | "no";
}

/** What the provider's own diagnosis was, as it came; undefined if there was none. */
export type ServiceDiagnosis = string | undefined;

/** A session with its own simulated service and its own time. */
export interface Simulation {
  readonly session: Session;
  readonly service: Anthropic;
  readonly clock: ManualClock;
  readonly seed: number;
  readonly system: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly thinks: "yes" | "no";
  /** Entries of user messages, of tool results and of requests, in order. */
  readonly users: number[];
  readonly results: { readonly entry: number; readonly callId: string }[];
  readonly points: number[];
  /** One request and its response, and the results of what it calls. */
  ask(reply: "calls" | "text"): Promise<ServiceDiagnosis>;
  say(words?: number): Promise<number>;
}

export const TOOLS: readonly ToolDefinition[] = ["read_file", "run", "search"].map((name) => ({
  name,
  description: `The tool ${name}. ${"It does what its name says, and nothing else. ".repeat(20)}`,
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
}));

export async function simulate({
  seed,
  model = "claude-opus-5-5",
  parameters = {},
  cacheTtl = "5m",
  thinks = "no",
}: SimulationOptions): Promise<Simulation> {
  const clock = manualClock(1_000_000);
  let reply: Reply = { words: [] };
  const service = createAnthropic({ clock, script: () => reply });
  const system = `You are a careful engineer. ${textOf(seed, 1_500 + 400 * (seed % 7))}`;
  const session = await openSession({
    model,
    system,
    parameters,
    clock,
    tools: TOOLS,
    // Nothing is to happen but what is seeded.
    settings: { compaction: "off" },
    policy: { ...coding(), clear: [], cache: fixedLifetimes(cacheTtl, cacheTtl) },
    settingsFrom: { environment: {} },
    store: memoryStore({ clock }),
    provider: anthropic({} as never, { cacheDiagnostics: "asked" }),
  });
  const calls = (turn: number): Reply => {
    const parallel = Array.from({ length: 1 + ((turn + seed) % 3) }, (_, index) =>
      callTool("read_file", { path: `src/${turn}-${index}.ts` }),
    );
    return callTools(...parallel);
  };
  let turn = 0;
  const simulation: Simulation = {
    session,
    service,
    clock,
    seed,
    system,
    parameters,
    thinks,
    users: [],
    results: [],
    points: [],
    async ask(kind) {
      turn++;
      const said: Reply = kind === "calls" ? calls(turn) : { words: [{ kind: "text", text: `Done with ${turn}.` }] };
      reply = thinks === "yes" ? think(textOf(turn, 60), said) : said;
      const request = await session.prepare();
      simulation.points.push(session.history.newestEntry);
      // The client library sends betas as a header.
      const { betas, ...body } = request;
      const answered = service.answer(body, betas === undefined ? {} : { betas });
      if (answered.kind === "refused") throw new Error(`The lab sent a request that was refused: ${answered.message}`);
      const recorded = await session.record(answered.response as unknown as AnthropicResponse, request);
      clock.advance(2_000);
      for (const { id } of recorded.calls) {
        const [entry] = await session.append(toolResult(id, textOf(turn, 150 + 40 * ((turn + seed) % 11))));
        simulation.results.push({ entry: entry!, callId: id });
      }
      return answered.response.diagnostics?.cache_miss_reason?.type;
    },
    async say(words = 120 + (seed % 5) * 30) {
      const [entry] = await session.append(`Next: ${textOf(turn, words)}`);
      simulation.users.push(entry!);
      return entry!;
    },
  };
  return simulation;
}

/** A user's words and some rounds of tools, until the cache holds enough to lose. */
export async function converse(simulation: Simulation, rounds: number): Promise<void> {
  await simulation.say();
  for (let round = 0; round < rounds; round++) {
    await simulation.ask("calls");
    if (round % 4 === 3) {
      await simulation.ask("text");
      await simulation.say();
    }
  }
  await simulation.ask("text");
  await simulation.say();
}

export function textOf(seed: number, words: number): string {
  return Array.from({ length: words }, (_, index) => `word${(seed * 31 + index * 7) % 997}`).join(" ");
}
