import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic, fetchInProcess } from "@palimpsest/provider-simulator";
import { openSession, type Session, type Store, stepTurn, type TurnStep } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { readPayload } from "palimpsest/inspect";
import { createMortal, type Mortal, mortalStore } from "./mortal.ts";
import { type Effects, permission, scriptOf, type TurnPlan, toolsOf } from "./turn-plan.ts";

export interface LivedInSteps {
  readonly end: string;
  readonly effects: Effects;
  /** How many processes were killed. */
  readonly kills: number;
  /** The log, without what differs from run to run: a list for each request. */
  readonly entries: readonly (readonly string[])[];
  /** The results of calls, by what they are about. */
  readonly results: ReadonlyMap<string, string>;
}

/** Runs a turn in steps. Each process is killed at its moment, and the next one continues; the last one is not killed. */
export async function liveInSteps(plan: TurnPlan, kills: readonly number[], store: Store): Promise<LivedInSteps> {
  const effects: Effects = { runs: new Map(), paid: new Map() };
  const face = createAnthropic({ script: scriptOf(plan) });
  let killed = 0;
  for (const killedAt of [...kills, undefined]) {
    const process = createMortal(killedAt);
    const ended = await Promise.race([runProcess(plan, { process, effects, face, store }), process.killed]);
    if (ended !== "killed") return { end: ended, effects, kills: killed, ...(await readLog(store)) };
    killed++;
  }
  throw new Error("The last process is not killed.");
}

interface World {
  readonly process: Mortal;
  readonly effects: Effects;
  readonly face: ReturnType<typeof createAnthropic>;
  readonly store: Store;
}

async function runProcess({ messages }: TurnPlan, { process, effects, face, store }: World): Promise<string> {
  const inProcess = fetchInProcess({ face });
  const client = new Anthropic({
    apiKey: "none",
    baseURL: "http://simulator.local",
    maxRetries: 0,
    async fetch(url, init) {
      await process.moment();
      return inProcess(url, init);
    },
  });
  const session = await openSession({
    store: mortalStore(store, process),
    id: "s",
    provider: anthropic(client),
    model: "claude-opus-5-5",
    takeover: "always",
    settingsFrom: { environment: {} },
  });
  // A queue delivers everything again to whoever comes next.
  for (const [index, content] of messages.entries()) {
    await session.turn.takeIn({ queue: "messages", number: index + 1, content });
  }
  const tools = toolsOf(effects, process);
  for (;;) {
    const step = await takeStep(session, tools);
    if (step.kind === "waiting") await decideAll(session);
    else if (!["responded", "ran", "continued"].includes(step.kind)) return step.kind;
  }
}

async function takeStep(session: Session, tools: ReturnType<typeof toolsOf>): Promise<TurnStep> {
  const turn = stepTurn(session, { tools, permission });
  for (;;) {
    const { done, value } = await turn.next();
    if (done === true) return value;
  }
}

async function decideAll({ turn }: Session): Promise<void> {
  const next = turn.next();
  for (const { call, step } of next.kind === "calls" ? next.calls : []) {
    const { permission: planned } = call.input as { readonly permission: string };
    const kind = planned === "allow-later" ? "allow" : "deny";
    if (step === "waiting") await turn.decide(call.id, { kind, by: "Ada", reason: "as planned" });
  }
}

async function readLog(store: Store): Promise<Pick<LivedInSteps, "entries" | "results">> {
  const reader = (await store.openReader("s"))!;
  const labels = new Map<string, string>();
  const results = new Map<string, string>();
  const entries: string[][] = [[]];
  for (const entry of await reader.read(1, (await reader.head()).sequence)) {
    const read = readPayload(entry);
    if (read.kind === "passed-over") throw new Error(`entry ${read.sequence} cannot be read`);
    if (read.kind === "request") entries.push([]);
    entries.at(-1)!.push(describe(read, labels, results));
  }
  // Calls that run beside each other end in any order.
  return { entries: entries.map((list) => list.sort()), results };
}

type Read = Exclude<ReturnType<typeof readPayload>, { kind: "passed-over" }>;

/** An entry without ids of the provider, prices and times. */
function describe(read: Read, labels: Map<string, string>, results: Map<string, string>): string {
  switch (read.kind) {
    case "message": {
      const blocks = read.payload.blocks.map((block) => {
        if (block.kind === "tool_call") {
          const { id } = block.input as { readonly id: string };
          labels.set(block.id, id);
          return `call ${id}`;
        }
        if (block.kind !== "tool_result") return JSON.stringify(block);
        const label = labels.get(block.callId)!;
        if (results.has(label)) throw new Error(`${label} has two results`);
        results.set(label, String(block.content));
        return `result of ${label}`;
      });
      return `message ${read.payload.role} ${blocks.join(", ")}`;
    }
    case "call": {
      const { calls, call, ...rest } = { calls: [], call: "", ...read.payload };
      return `call ${JSON.stringify(rest)} ${[...calls, call].map((id) => labels.get(id) ?? "").join(",")}`;
    }
    case "turn":
    case "taken":
    case "attachment":
      return `${read.kind} ${JSON.stringify(read.payload)}`;
    default:
      return read.kind;
  }
}
