import { createSessionWorker, queueScheduler, say } from "@palimpsest/fleet";
import { openPostgres, openPostgresDispatch } from "@palimpsest/postgres";
import type { StartedDatabase } from "@palimpsest/postgres/test-server";
import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { openSession, type Session, stepTurn, tool } from "palimpsest";
import type { Figures } from "../experiment.ts";
import { listenTo } from "../listen-to.ts";
import { simulatedAnthropic } from "../simulated-anthropic.ts";
import { median, percentile, round } from "../statistics.ts";

/** Rounds of calls before the answer, and calls in each. */
const [ROUNDS, CALLS] = [3, 3];
/** Each round is an exchange and its calls; then the answer. */
const STEPS = 2 * ROUNDS + 1;
const AT_ONCE = 8;
const TENANT = "turns";
const PROMPT = "Look at the three files.";

export interface CompareOptions {
  readonly sessions: number;
  /** How often all sessions take a turn in either way. */
  readonly rounds: number;
  /** Turns that are taken alone, in either way. */
  readonly alone: number;
}

/** Some rounds of calls behind every prompt, then an answer. */
const script: Script = ({ request }) => {
  const messages = request["messages"] as readonly { readonly role: string; readonly content: unknown }[];
  const prompt = messages.findLastIndex(({ content }) => JSON.stringify(content).includes(PROMPT));
  const made = messages.slice(prompt).filter(({ role }) => role === "assistant").length;
  return made < ROUNDS
    ? callTools(...Array.from({ length: CALLS }, (_, at) => callTool("look", { at })))
    : answer("Looked.");
};

/** Takes the same turns with and without a fleet, in turns, on the same database with the same simulated provider. */
export async function compareTurns(
  database: StartedDatabase,
  { sessions, rounds, alone }: CompareOptions,
): Promise<Figures> {
  const provider = simulatedAnthropic(script);
  const look = tool({
    name: "look",
    description: "Looks.",
    inputSchema: { type: "object" },
    concurrency: "safe",
    execute: () => "seen",
  });
  const store = openPostgres({ pool: database.dispatchers }).store({ tenant: TENANT });
  const dispatch = openPostgresDispatch({ pool: database.dispatchers, listen: listenTo(database) });
  const { inbox } = dispatch.tenant(TENANT);
  const open = (id: string): Promise<Session> =>
    openSession({
      store,
      id,
      provider,
      model: "claude-opus-5-5",
      tools: [look],
      takeover: "always",
      settings: { notes: "off" },
    });
  const worker = createSessionWorker({
    open: ({ session }) => open(session),
    store: () => store,
    dispatch: dispatch.tenant,
  });
  const waiting = new Map<string, () => void>();
  const scheduler = queueScheduler({ queue: dispatch.queue, schedule: (name) => dispatch.tenant(name).schedule });
  const serving = scheduler.serve(
    async (run) => {
      const outcome = await worker.run(run);
      waiting.get(run.session)?.();
      return outcome;
    },
    { slots: AT_ONCE },
  );

  let said = 0;
  const throughFleet = async (session: string): Promise<void> => {
    const ended = Promise.withResolvers<void>();
    waiting.set(session, ended.resolve);
    await say(inbox, session, { key: `prompt ${said++}`, content: PROMPT });
    await ended.promise;
    waiting.delete(session);
  };
  const names = Array.from({ length: sessions }, (_, index) => `s${index}`);
  const opened = new Map<string, Session>();
  for (const name of names) opened.set(name, await open(`bare-${name}`));
  const bare = async (name: string): Promise<void> => {
    const session = opened.get(name)!;
    await session.append([PROMPT], { answer: "wanted" });
    for (let kind = ""; kind !== "done"; ) kind = await takeStep(session);
  };

  const ways = { bare, fleet: throughFleet };
  const tookMs = { bare: [] as number[], fleet: [] as number[] };
  // The first round warms up.
  for (let turn = 0; turn <= rounds; turn++) {
    for (const way of turn % 2 === 0 ? (["bare", "fleet"] as const) : (["fleet", "bare"] as const)) {
      const startMs = performance.now();
      await inParallel(names, ways[way]);
      if (turn > 0) tookMs[way].push((performance.now() - startMs) / sessions);
    }
  }
  const overheads: number[] = [];
  for (let turn = 0; turn < alone; turn++) {
    const name = names[turn % names.length]!;
    const [bareMs, fleetMs] = [await timed(() => bare(name)), await timed(() => throughFleet(name))];
    overheads.push((fleetMs - bareMs) / STEPS);
  }
  await serving.drain();
  await worker.close();
  await dispatch.close();
  await store.close();
  const ratios = tookMs.bare.map((ms, index) => ms / tookMs.fleet[index]!);
  return {
    turn_ratio_to_bare_engine: round(median(ratios)),
    overhead_ms_per_step_p50: round(percentile(overheads, 50)),
    turns_per_s: round(1_000 / median(tookMs.fleet)),
    steps_per_turn: STEPS,
    bare_turns_per_s: round(1_000 / median(tookMs.bare)),
  };
}

async function takeStep(session: Session): Promise<string> {
  const step = stepTurn(session);
  for (;;) {
    const { done, value } = await step.next();
    if (done === true) return value.kind;
  }
}

async function inParallel(names: readonly string[], run: (name: string) => Promise<void>): Promise<void> {
  const left = [...names];
  const work = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) await run(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function timed(run: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await run();
  return performance.now() - startMs;
}
