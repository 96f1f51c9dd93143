import { idleClock } from "@palimpsest/provider-simulator";
import { openSession, type QueryOutcome, query, type Session, type Tool } from "palimpsest";
import { sqliteStore } from "palimpsest/sqlite";
import { createRandom } from "../random.ts";
import { countLost, type Lost } from "./count-lost.ts";
import type { JudgeOptions } from "./create-judge.ts";
import type { HeapSample } from "./growth.ts";
import { logUniform } from "./log-uniform.ts";
import { createMarkedTexts, createSource, type MarkedTexts } from "./marked-texts.ts";
import { createSimulation, type Judged } from "./simulation.ts";

export interface SoakPlan extends Omit<JudgeOptions, "seed" | "trueWindowTokens"> {
  readonly windowTokens: number;
  readonly turns: number;
  /** `measured`: it is long enough for all that it keeps of its past to have filled up to its bounds half-way. */
  readonly heap: "measured" | "not-measured";
}

/** A session at its end. */
export interface Soaked {
  readonly judged: Judged;
  readonly lost: Lost;
  readonly prompts: number;
  readonly results: number;
  /** How the turns ended; those that were gone on with count once for each part. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Turns that came to no end, however often they were gone on with. */
  readonly stuckTurns: number;
  /** By rung, and how many failed or were declined. */
  readonly compactions: Readonly<Record<string, number>>;
  readonly prepares: readonly PrepareTime[];
  /** The first of them that was made when it was warm. */
  readonly warmFrom: number;
  /** After each so many turns, once it is warm. */
  readonly heap: readonly HeapSample[];
}

/** How long a `prepare` took, without what the simulator took. */
export interface PrepareTime {
  readonly wallMs: number;
  /** Of this thread's processor: the same whatever else the machine does. */
  readonly cpuMs: number;
}

/** The window that the service holds requests to: a little less than it says, as some do. */
const TRUE_SHARE = 0.94;
/** Until then the code is compiled, and what a session keeps of its past (5,000 facts, for one) fills up to its bounds. */
const WARM_SHARE = 0.5;
const SAMPLES = 80;
const MAX_PARTS = 8;
const PAUSE_MS = [1_000, 7_200_000] as const;
const PROMPT_CHARACTERS = [20, 3_000] as const;

/** Leads one session through all of its turns. */
export async function soakSession(
  plan: SoakPlan,
  folder: string,
  measureHeapMb: () => Promise<number>,
): Promise<Soaked> {
  const { profile, windowTokens, turns } = plan;
  const random = createRandom(`soak ${profile} ${windowTokens}`);
  const clock = idleClock(1_000_000);
  const simulation = createSimulation({
    ...plan,
    clock,
    seed: `mind ${profile} ${windowTokens}`,
    trueWindowTokens: Math.floor(windowTokens * TRUE_SHARE),
  });
  const { providers, model, parameters, judged } = simulation;
  const source = createSource(random);
  const prompts = createMarkedTexts("prompt", source, random);
  const results = createMarkedTexts("result", source, random);
  const compactions: Record<string, number> = {};
  const session = await openSession({
    id: "soak",
    provider: providers.beside,
    model,
    parameters,
    clock,
    system: "You are a careful engineer.",
    // On a disk: what a session holds in memory is its own.
    store: sqliteStore({ folder, clock }),
    settingsFrom: { environment: {} },
    onEvent(event) {
      if (event.kind !== "compaction-ended") return;
      const { outcome } = event;
      const name = outcome.kind === "compacted" ? outcome.summary.way : outcome.kind;
      compactions[name] = (compactions[name] ?? 0) + 1;
    },
  });
  const prepares: PrepareTime[] = [];
  // Turns go to a model that works and misbehaves; what the session asks beside them, to one that summarizes.
  const timed: Session = {
    ...timePrepare(session, prepares, judged),
    provider: { ...session.provider, send: (request, given) => providers.conversation.send(request, given) },
  };
  const tools = createTools(results);
  const outcomes: Record<string, number> = {};
  const heap: HeapSample[] = [];
  let stuckTurns = 0;
  let warmFrom = 0;

  async function run(prompt?: string): Promise<QueryOutcome["kind"]> {
    const { kind } = await outcomeOf(
      query(timed, {
        tools,
        clock,
        maxRounds: 12,
        random: () => random.below(1_000) / 1_000,
        ...(prompt === undefined ? {} : { prompt }),
      }),
    );
    outcomes[kind] = (outcomes[kind] ?? 0) + 1;
    return kind;
  }

  for (let turn = 1; turn <= turns; turn++) {
    let kind = await run(prompts.next(logUniform(random, PROMPT_CHARACTERS)));
    for (let part = 1; isOpen(kind) && part < MAX_PARTS; part++) kind = await run();
    if (isOpen(kind)) stuckTurns++;
    if (turn < WARM_SHARE * turns) warmFrom = prepares.length;
    else if (plan.heap === "measured" && turn % Math.ceil(turns / SAMPLES) === 0) {
      heap.push({ turn, usedMb: await measureHeapMb() });
    }
    await clock.wait(logUniform(random, PAUSE_MS));
  }
  const said = { prompts: prompts.count, results: results.count };
  const lost = await countLost(session.history.export(), said);
  await session.close();
  await simulation.close();
  return { judged, lost, ...said, outcomes, stuckTurns, compactions, prepares, warmFrom, heap };
}

function isOpen(kind: QueryOutcome["kind"]): boolean {
  return kind === "failed" || kind === "window-full" || kind === "rounds-used-up";
}

async function outcomeOf(turn: ReturnType<typeof query>): Promise<QueryOutcome> {
  for (;;) {
    const next = await turn.next();
    if (next.done === true) return next.value;
  }
}

/** The same session, whose `prepare` is timed. */
function timePrepare(session: Session, prepares: PrepareTime[], judged: Judged): Session {
  const now = () => ({ wallMs: performance.now() - judged.tookMs, cpuMs: cpuMs() });
  const prepare: typeof session.prepare = async (options) => {
    const before = now();
    try {
      return await session.prepare(options);
    } finally {
      const after = now();
      prepares.push({ wallMs: after.wallMs - before.wallMs, cpuMs: after.cpuMs - before.cpuMs });
    }
  };
  return { ...session, prepare };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

const INPUT = {
  type: "object",
  properties: { file_path: { type: "string" }, characters: { type: "integer" } },
  required: ["characters"],
};

/** One that answers at once, one that streams, and one that fails now and then. */
function createTools(results: MarkedTexts): readonly Tool[] {
  const sizeOf = (input: unknown): number => (input as { characters: number }).characters;
  return [
    {
      name: "Read",
      description: "Reads a file.",
      inputSchema: INPUT,
      concurrency: "safe",
      execute: (input) => results.next(sizeOf(input)),
    },
    {
      name: "Bash",
      description: "Runs a command.",
      inputSchema: INPUT,
      async *execute(input) {
        const text = results.next(sizeOf(input));
        for (let from = 0; from < text.length; from += 8_192) yield text.slice(from, from + 8_192);
      },
    },
    {
      name: "Grep",
      description: "Searches files.",
      inputSchema: INPUT,
      concurrency: "safe",
      async execute(input) {
        const text = results.next(sizeOf(input));
        if (sizeOf(input) % 10 === 0) throw new Error(text);
        return text;
      },
    },
  ];
}
