// A session for tests whose summaries are written when the test says so. The requests are judged by the simulator.

import Anthropic from "@anthropic-ai/sdk";
import {
  answer,
  callTool,
  callTools,
  createAnthropic,
  type ManualClock,
  manualClock,
  type Reply,
  serve,
} from "@palimpsest/provider-simulator";
import { onTestFinished } from "vitest";
import { readPayload } from "../../log/entry.ts";
import { toolResult } from "../../log/messages.ts";
import type { Policy } from "../../policy/policy.ts";
import { nearCompaction } from "../../policy/rules/ahead.ts";
import { fixedLifetimes } from "../../policy/rules/cache.ts";
import { coding } from "../../presets/coding.ts";
import { anthropic } from "../../providers/anthropic.ts";
import type { Provider } from "../../providers/provider.ts";
import { readStream } from "../../providers/stream.ts";
import type { SessionEvent } from "../../session-event.ts";
import type { SessionOptions } from "../../state/options.ts";
import { memoryStore } from "../../stores/memory-store.ts";
import { openSession } from "../open.ts";
import type { Session } from "../session.ts";

const MODEL = "claude-opus-5-5";
const SECTIONS = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(
  (number) => `## ${number}. Title\nThe loader in src/load.ts was renamed, and part ${number} of it was tested twice.`,
);
const GOOD_SUMMARY: Reply = answer(`<summary>\n${SECTIONS.join("\n")}\n</summary>`);
export const BAD_SUMMARY: Reply = answer("I'm sorry, but I can't help with that.");

/** The policy compacts between turns from here on, and inside a turn from half as much again. */
export const FROM_TOKENS = 20_000;
const usual = coding();
export const PREPARING: Policy = {
  ...usual,
  name: "preparing",
  clear: [],
  cache: fixedLifetimes("1h", "1h"),
  compact: {
    ...usual.compact,
    when: ({ size, turn }) =>
      size.tokens < (turn.status === "open" ? 1.5 : 1) * FROM_TOKENS
        ? undefined
        : { level: "requested", because: `${size.tokens} tokens` },
    prepareAhead: nearCompaction({ idleShare: 0.8, inTurnShare: 0.8, maxTailTokens: 8_000 }),
  },
};

type Options = Partial<SessionOptions<never, never, never>>;

export interface GatedSession {
  /** After `reopen`, the newest one. */
  session: Session;
  readonly clock: ManualClock;
  /** `reply`: the next summary. `begun`: requests for summaries. The first `released` of them are answered at once. */
  readonly summaries: { reply: Reply; begun: number; released: number; waiting: (() => void)[] };
  reopen(more?: Options): Promise<void>;
  emitted<Kind extends SessionEvent["kind"]>(kind: Kind): readonly Extract<SessionEvent, { kind: Kind }>[];
  /** Lets the model write the summaries that it was asked for so far, and waits until the session has them. */
  release(): Promise<void>;
  /** Waits until the model was asked for so many summaries. */
  begun(count: number): Promise<void>;
  /** One exchange with the model. Resolves to the messages that were sent. */
  exchange(reply?: Reply): Promise<string>;
  ask(words: string, reply?: Reply): Promise<string>;
  /** One round: the model reads a file, and the file has so many words. */
  read(path: string, count?: number): Promise<void>;
  entries(): Promise<readonly ReturnType<typeof readPayload>[]>;
  /** Speaks until the conversation has so many tokens. */
  growTo(tokens: number): Promise<void>;
}

export async function openGated(options: Options = {}): Promise<GatedSession> {
  const clock = manualClock();
  const summaries = { reply: GOOD_SUMMARY, begun: 0, released: 0, waiting: [] as (() => void)[] };
  let reply: Reply = answer("Done.");
  const script = ({ purpose }: { readonly purpose: string }): Reply =>
    purpose === "summary" ? summaries.reply : reply;
  const server = await serve({ clock, faces: [createAnthropic({ clock, script })] });
  onTestFinished(() => server.close());
  const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
  const plain = anthropic(client, { models: { [MODEL]: { windowTokens: 200_000 } } });
  type Plain = typeof plain;
  /** Holds each request for a summary until `release`. */
  const provider: Plain = {
    ...plain,
    async *send(request, how) {
      if (asksForSummary(request)) {
        summaries.begun++;
        await new Promise<void>((resolve, reject) => {
          if (summaries.begun <= summaries.released) resolve();
          summaries.waiting.push(resolve);
          how?.signal?.addEventListener("abort", () => reject(how.signal!.reason));
        });
      }
      return yield* plain.send(request, how);
    },
  };
  const events: SessionEvent[] = [];
  const store = memoryStore({ leaseMs: 0, clock });
  const open = (more: Options = {}) =>
    openSession({
      ...{ store, model: MODEL, system: "Be brief.", id: "s", clock, policy: PREPARING },
      provider: provider as Provider<never, never, never>,
      settingsFrom: { environment: {} },
      onEvent: (event) => events.push(event),
      tools: [{ name: "Read", inputSchema: { type: "object" } }],
      ...options,
      ...more,
    });
  const world: GatedSession = {
    session: (await open()) as Session,
    clock,
    summaries,
    async reopen(more: Options = {}) {
      world.session = (await open({ takeover: "always", ...more })) as Session;
    },
    emitted: <Kind extends SessionEvent["kind"]>(kind: Kind) =>
      events.filter((event): event is Extract<SessionEvent, { kind: Kind }> => event.kind === kind),
    async release() {
      await soon(() => summaries.waiting.length > 0);
      summaries.released = summaries.begun;
      const before = ended();
      for (const resolve of summaries.waiting.splice(0)) resolve();
      await soon(() => ended() > before);
    },
    begun: (count: number) => soon(() => summaries.begun >= count),
    async exchange(with_: Reply = answer("Done.")): Promise<string> {
      reply = with_;
      const request = await world.session.prepare();
      const response = await readStream(provider.send(request as never));
      await world.session.record(response, request);
      return JSON.stringify((request as unknown as { messages: unknown }).messages);
    },
    async ask(words: string, with_?: Reply): Promise<string> {
      await world.session.append(words);
      return world.exchange(with_);
    },
    async read(path: string, count = 1_500): Promise<void> {
      await world.exchange(callTools(callTool("Read", { file_path: path })));
      const [open] = world.session.view.openCalls();
      await world.session.append(toolResult(open!.id, `${path} `.repeat(count)));
    },
    async entries() {
      const reader = (await store.openReader("s"))!;
      return (await reader.read(1, world.session.history.newestEntry)).map(readPayload);
    },
    async growTo(tokens: number) {
      for (let part = 0; world.session.view.size().tokens < tokens; part++) await world.ask(words(`part${part}`, 900));
    },
  };
  const ended = (): number =>
    events.filter(({ kind }) => kind === "summary-prepared" || kind === "prepared-summary-dropped").length;
  return world;
}

export const words = (about: string, count: number): string =>
  `About ${about} of src/load.ts: ${`${about} `.repeat(count)}`;

function asksForSummary(request: unknown): boolean {
  const { messages } = request as { readonly messages: readonly { readonly content: unknown }[] };
  return JSON.stringify(messages.at(-1)?.content ?? "").includes("a <summary> block, and nothing else.");
}

/** Waits for background work of the session, which takes some rounds of the event loop. */
export async function soon(isTrue: () => boolean): Promise<void> {
  for (let round = 0; !isTrue(); round++) {
    if (round > 1_500) throw new Error(`not true after ${round} rounds: ${isTrue}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
