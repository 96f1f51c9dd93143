import { type Ask, createAnthropic, manualClock, type Reply, summarize } from "@palimpsest/provider-simulator";
import { openSession, recallTool, type Session, type ToolDefinition, toolResult } from "palimpsest";
import { type AnthropicRequest, type AnthropicResponse, anthropic } from "palimpsest/anthropic";
import { coding, codingNotes, type Policy, window } from "palimpsest/policy";
import { sqliteStore } from "palimpsest/sqlite";
import { createRandom } from "../random.ts";
import { createFiller } from "./filler.ts";
import { lossySummary } from "./lossy-summary.ts";
import { createFacts, type PlantedFact, SORTS } from "./planted-fact.ts";
import { createSteps, type Step } from "./steps.ts";

const WINDOWS = 10;
const FACTS_PER_WINDOW = 40;
const MODEL = "claude-sonnet-4-6";
const WINDOW_TOKENS = 200_000;
const ROUND_MS = 15_000;
const BASE = coding("quality", { notes: codingNotes() });
/** Nothing is cleared, so that whole windows are compacted: ten of them have 1.4 million tokens. */
const POLICY: Policy = { ...BASE, clear: [], compact: { ...BASE.compact, when: window() } };
const TOOLS: readonly ToolDefinition[] = [
  ...["Read", "Edit", "Bash", "Grep"].map((name) => ({
    name,
    description: `The tool ${name}. ${"It does what its name says, and nothing else. ".repeat(20)}`,
    inputSchema: { type: "object" },
  })),
  recallTool,
];

/** A fact in its session. */
export interface Fact extends PlantedFact {
  readonly window: number;
  /** How often the model has used it since. */
  uses: number;
  /** Uses that are still to come. */
  waiting: number;
}

/** A session right behind one of its compactions. */
export interface Compacted {
  readonly compactions: number;
  /** All that were planted so far. */
  readonly facts: readonly Fact[];
  /** The words of the next request. */
  readonly view: string;
  /** What an agent would have that keeps only the summary, of a summarizer that is just as lossy. */
  readonly plainView: string;
  /** What the summary came from. */
  readonly way: string;
  readonly session: Session;
}

/** Leads a session of ten windows through the engine and the simulator; stops behind each compaction. */
export async function* leadSession(seed: string, folder: string): AsyncGenerator<Compacted> {
  const random = createRandom(seed);
  const makeFact = createFacts(random);
  const steps = createSteps(random, createFiller(random));
  const facts: Fact[] = [];
  const ways: string[] = [];
  let reply: Reply = { words: [] };
  let plainView = "";
  /** What was said since the newest compaction. */
  let said: string[] = [];

  const clock = manualClock();
  const script = ({ purpose, request }: Ask): Reply =>
    purpose === "summary"
      ? summarize(lossySummary({ source: wordsOf(request), facts, seed: `${seed} ${ways.length}` }))
      : reply;
  const service = createAnthropic({ clock, script });
  const answer = (request: AnthropicRequest): AnthropicResponse => {
    const answered = service.answer(request);
    if (answered.kind === "refused") throw new Error(`The lab sent a request that was refused: ${answered.message}`);
    return answered.response as unknown as AnthropicResponse;
  };
  const adapter = anthropic({} as never, { models: { [MODEL]: { windowTokens: WINDOW_TOKENS } } });
  const session = await openSession({
    store: sqliteStore({ folder, clock }),
    model: MODEL,
    clock,
    tools: TOOLS,
    provider: {
      ...adapter,
      // Summaries are asked for in process too.
      // biome-ignore lint/correctness/useYield: nobody looks at the parts.
      async *send(request: AnthropicRequest) {
        return answer(request);
      },
    },
    system: "You are a careful engineer. You keep to what the user says. ".repeat(100),
    policy: POLICY,
    settingsFrom: { environment: {} },
    onEvent(event) {
      if (event.kind === "compaction-ended" && event.outcome.kind === "compacted") ways.push(event.outcome.summary.way);
    },
  });

  /** One step, up to the request behind it; that request if it came with a compaction. */
  async function take({ text, call, result = "", status = "ok", user }: Step): Promise<AnthropicRequest | undefined> {
    const words = text === undefined ? [] : [{ kind: "text" as const, text }];
    reply = { words: call === undefined ? words : [...words, { kind: "tool-call", ...call }] };
    const { calls } = await session.record(answer(pending));
    said.push(text ?? "", JSON.stringify(call?.input ?? ""), result, user ?? "");
    await session.append(user ?? toolResult(calls[0]!.id, result, status));
    clock.advance(ROUND_MS);
    const before = ways.length;
    pending = await session.prepare();
    return ways.length > before ? pending : undefined;
  }

  await session.append("The shop is to be made ready for the new year. Go through its services one by one.");
  let pending = await session.prepare();
  const uses: { readonly fact: Fact; readonly at: number }[] = [];
  for (let window = 0; window < WINDOWS; window++) {
    const startTokens = session.view.size().tokens;
    const plan = Array.from({ length: FACTS_PER_WINDOW }, (_, index) => window + (0.95 * index) / FACTS_PER_WINDOW);
    for (let compacted: AnthropicRequest | undefined; compacted === undefined; ) {
      const { tokens, autoCompactTokens } = session.view.size();
      const now = window + Math.max(0, tokens - startTokens) / (autoCompactTokens - startTokens);
      const due = uses.findIndex(({ at }) => at <= now);
      if (plan.length > 0 && plan[0]! <= now) {
        plan.shift();
        const fact = { ...makeFact(SORTS[facts.length % SORTS.length]!), window, uses: 0, waiting: 0 };
        if (random.happens(0.5)) for (const at of timesOfUse(now)) uses.push({ fact, at });
        fact.waiting = uses.filter((use) => use.fact === fact).length;
        facts.push(fact);
        compacted = await take(steps.plant(fact));
      } else if (due >= 0) {
        const [{ fact }] = uses.splice(due, 1) as [(typeof uses)[number]];
        fact.uses++;
        fact.waiting--;
        compacted = await take(steps.use(fact));
      } else {
        compacted = await take(steps.fill());
      }
      if (compacted === undefined) continue;
      const source = [plainView, ...said].join("\n");
      plainView = lossySummary({ source, facts, seed: `${seed} plain ${window}` });
      said = [];
      const view = wordsOf(compacted as unknown as Ask["request"]);
      yield { compactions: window + 1, facts, view, plainView, way: ways.at(-1)!, session };
    }
  }
  await session.close();

  /** Once or several times: half of them in the same window, the others up to four windows later, none behind the end. */
  function timesOfUse(plantedAt: number): readonly number[] {
    return Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => {
      const last = Math.floor(plantedAt) + random.pick([0, 0, 0, 0, 1, 1, 2, 4]);
      const until = Math.min(last, WINDOWS - 1) + 0.97;
      const from = Math.max(plantedAt + 0.02, Math.floor(until));
      return from + Math.max(0, until - from) * (random.below(1_000) / 1_000);
    });
  }
}

/** Everything in a request that is words: of system prompt, tools and messages, at any depth. */
function wordsOf({ messages }: Readonly<Record<string, unknown>>): string {
  const texts: string[] = [];
  const waiting: unknown[] = [messages];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") texts.push(next);
    else if (Array.isArray(next)) waiting.push(...next.toReversed());
    else if (typeof next === "object" && next !== null) waiting.push(...Object.values(next).toReversed());
  }
  return texts.join("\n");
}
