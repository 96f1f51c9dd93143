import { setImmediate } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic, fetchInProcess, type Script } from "@palimpsest/provider-simulator";
import {
  memoryStore,
  openSession,
  type Provider,
  type QueryOutcome,
  query,
  type Session,
  type Settings,
  type Store,
  type Tool,
  tool,
} from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import type { Hooks } from "palimpsest/hooks";
import type { Agents } from "../agents.ts";
import type { AgentLimits, AgentsOptions } from "../agents-options.ts";
import { createAgents } from "../create-agents.ts";

const MODEL = "claude-opus-5-5";

export interface TeamOptions extends Partial<Pick<AgentsOptions, "mailbox" | "definitions" | "clock">> {
  readonly script: Script;
  readonly id?: string;
  readonly store?: Store;
  readonly settings?: Partial<Settings>;
  readonly limits?: AgentLimits;
  readonly hooks?: Hooks;
  readonly system?: string;
}

export interface Team {
  readonly session: Session;
  readonly agents: Agents;
  readonly store: Store;
  /** What was sent, as the simulator got it. */
  readonly sent: readonly string[];
  /** What the tools have done. */
  readonly done: readonly string[];
  turn(prompt?: string): Promise<QueryOutcome>;
}

/** Two tools: one that only looks, and one that changes something. */
function lookAndWrite(done: string[]): readonly Tool[] {
  const input = { type: "object", properties: { what: { type: "string" } } } as const;
  const make = (name: string): Tool =>
    tool({
      name,
      description: `${name} something.`,
      inputSchema: input,
      execute: async ({ what }) => {
        // Nothing here waits for the world otherwise: an agent that never ends would let nothing else happen.
        await setImmediate();
        done.push(`${name} ${String(what)}`);
        return `${name}: ${String(what)}`;
      },
    });
  return [make("Look"), make("Write")];
}

/** A session with agents, its model played by a script through the real client. */
export async function openTeam(options: TeamOptions): Promise<Team> {
  const { script, id = "main-session", store = memoryStore({ leaseMs: 0 }), ...rest } = options;
  const sent: string[] = [];
  const inProcess = fetchInProcess({ face: createAnthropic({ script }) });
  const client = new Anthropic({
    apiKey: "none",
    baseURL: "http://simulator.local",
    maxRetries: 0,
    fetch: (url, init) => {
      sent.push(String(init?.body));
      return inProcess(url, init);
    },
  });
  const provider = anthropic(client) as Provider;
  const done: string[] = [];
  const tools = lookAndWrite(done);
  const settings: Partial<Settings> = { notes: "off", ...rest.settings };
  const shared = { store, provider, model: MODEL, settings };
  const system = rest.system ?? "You lead.";
  const session = await openSession({
    ...shared,
    id,
    system,
    ...(rest.hooks === undefined ? {} : { hooks: rest.hooks }),
  });
  let ids = 0;
  const agents = createAgents({
    session,
    store,
    tools,
    readOnlyTools: ["Look"],
    createId: () => `a${++ids}`,
    openChild: ({ id: child, system: own, model }) =>
      openSession({
        ...shared,
        id: child,
        ...(own === undefined ? {} : { system: own }),
        ...(model === undefined ? {} : { model }),
      }),
    ...rest.limits,
    ...(rest.mailbox === undefined ? {} : { mailbox: rest.mailbox }),
    ...(rest.definitions === undefined ? {} : { definitions: rest.definitions }),
    ...(rest.clock === undefined ? {} : { clock: rest.clock }),
  });
  async function turn(prompt?: string): Promise<QueryOutcome> {
    const running = query(session, {
      tools: [...tools, ...agents.tools],
      inbox: agents.inbox,
      ...(prompt === undefined ? {} : { prompt }),
    });
    for (;;) {
      const { done: isOver, value } = await running.next();
      if (isOver === true) return value;
    }
  }
  return { session, agents, store, sent, done, turn };
}
