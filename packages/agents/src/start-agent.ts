import { randomUUID } from "node:crypto";
import { isName } from "@palimpsest/coordination";
import {
  type ChargeOptions,
  chargeParent,
  messageOf,
  type NewContent,
  type Session,
  type Tool,
  toolResult,
} from "palimpsest";
import type { AgentWay } from "palimpsest/inspect";

import { type AgentDefinition, STANDARD_AGENTS } from "./agent-definition.ts";
import type { AgentMessage } from "./agent-message.ts";
import { childSystem, forkTask, IN_PARENT, taskOf, teammateSystem } from "./agent-prompts.ts";
import { agentSession } from "./agent-session.ts";
import type { AgentsOptions } from "./agents-options.ts";
import { isAllowed, toolsOfChild } from "./child-tools.ts";
import { gatePlan } from "./gate-plan.ts";
import type { Launch, LiveAgent, Roster } from "./roster.ts";
import { runAgent } from "./run-agent.ts";

/** An agent to start: its prompt, and the way it runs. */
export interface WantedAgent {
  /** The task, with all the information that the agent needs. */
  readonly prompt: string;
  /** The task in one line. */
  readonly description: string;
  /**
   * `subagent`: its caller waits for it. `background`: it reports when it ends. `fork`: the same, and it has the whole
   * conversation. `teammate`: it reports after each turn, and is idle until the next message. It needs a name.
   */
  readonly way: AgentWay;
  /** `required`: a teammate only reads until the session has approved its plan. @default no plan */
  readonly plan?: "required";
  /** The name of its definition. @default the first */
  readonly definition?: string;
  /** Its name for others. @default its id */
  readonly name?: string;
  /** Stops it, in addition to the end of the session. */
  readonly signal?: AbortSignal;
  /** The call that starts it, for forks: forks of one response begin alike. */
  readonly callId?: string;
}

export type StartOutcome =
  | { readonly kind: "started"; readonly agent: LiveAgent }
  | { readonly kind: "refused"; readonly why: string };

/** An agent that the log knows. */
export type KnownAgent = ReturnType<Session["background"]["agents"]>[number];

export interface StarterOptions extends AgentsOptions {
  readonly maxRounds: number;
  readonly roster: Roster;
  /** The agents' own tools, for an agent with that id and name. */
  readonly ownTools: (sender: { readonly id: string; readonly name: string }) => readonly Tool[];
  /** The tools that no agent may use. */
  readonly mainOnly: readonly string[];
}

export interface Starter {
  start(wanted: WantedAgent): Promise<StartOutcome>;
  /** Resumes a finished agent from its log. */
  resume(agent: KnownAgent, messages: readonly AgentMessage[]): Promise<StartOutcome>;
}

/** The source of agents' usage in the ledger of the session that they work for. */
const AGENT_SOURCE = "agent";

const GENERAL: AgentDefinition = STANDARD_AGENTS[0]!;

/** Starts agents: each is in the session's log before any of it runs. */
export function createStarter(options: StarterOptions): Starter {
  const { session, roster, openChild, definitions = STANDARD_AGENTS, createId = () => randomUUID() } = options;
  const { readOnlyTools = [], ownTools, mainOnly } = options;
  /** The point at which the forks of the newest response leave the session. */
  let moment: { readonly calls: readonly string[]; readonly entry: number } | undefined;

  function momentOf(callId: string | undefined): number {
    if (callId === undefined) return session.history.newestEntry;
    if (moment?.calls.includes(callId) !== true) {
      moment = { calls: session.view.openCalls().map(({ id }) => id), entry: session.history.newestEntry };
    }
    return moment.entry;
  }

  function toolsOf(child: Session, agent: AgentFacts, definition: AgentDefinition): readonly Tool[] {
    const host = options.toolsFor?.(child, { way: agent.way, definition }) ?? toolsOfChild(options.tools, child);
    const own = ownTools({ id: agent.id, name: agent.name ?? agent.id });
    // A fork lists the tools of its parent in any case. These are the tools that it can run; `allowedTools` refuses the rest.
    if (agent.way === "fork") return [...host, ...own];
    const allowed = host.filter(({ name }) => isAllowed(name, { definition, readOnlyTools }));
    return [...allowed, ...own].filter(({ name }) => !mainOnly.includes(name));
  }

  function launch(
    agent: AgentFacts,
    definition: AgentDefinition,
    rest: Pick<Launch, "open" | "signal" | "messages"> & {
      readonly prompt: readonly NewContent[];
      readonly responses: ChargeOptions["responses"];
    },
  ): LiveAgent {
    const { prompt, responses, ...how } = rest;
    return roster.launch({
      id: agent.id,
      way: agent.way,
      ...how,
      ...(agent.name === undefined ? {} : { name: agent.name }),
      async run(child, context) {
        if (prompt.length > 0) await keep(child, prompt);
        const charge = chargeParent({ parent: session, child, source: AGENT_SOURCE, responses });
        const onEvent: typeof context.onEvent = (event) => {
          charge.onEvent(event);
          context.onEvent(event);
        };
        try {
          return await runAgent({
            ...options,
            ...context,
            parent: session,
            child,
            agentId: agent.id,
            agentType: definition.name,
            tools: toolsOf(child, agent, definition),
            prompt: [],
            onEvent,
            ...(agent.plan === undefined ? {} : { permission: gated(agent.id) }),
          });
        } finally {
          await charge.finish().catch(() => undefined);
        }
      },
    });
  }

  /** The session's own permissions, and nothing but reading before the plan is approved. */
  function gated(id: string): Permission {
    return gatePlan({
      plan: () => session.background.agents().find((one) => one.id === id)?.plan,
      free: [...readOnlyTools, ...ownTools({ id, name: id }).map(({ name }) => name)],
      permission: options.permission,
    });
  }

  async function openFork(id: string, at: number, definition: AgentDefinition) {
    const own = ownTools({ id, name: id }).map(({ name }) => name);
    const names = options.tools.map(({ name }) => name);
    const allowed = names.filter((name) => isAllowed(name, { definition, readOnlyTools }));
    const allowedTools = [...allowed, ...own].filter((name) => !mainOnly.includes(name));
    const fork = await session.fork({ source: AGENT_SOURCE, id, at, allowedTools });
    const open = fork.view.openCalls();
    if (open.length > 0) await fork.append(open.map((call) => toolResult(call.id, IN_PARENT)));
    return fork;
  }

  return {
    async start(wanted) {
      if (session.settings().settings["agents.enabled"] === "off")
        return refused("Agents are off here (setting agents.enabled). Do it yourself.");
      const { way, name, signal = session.signal, callId } = wanted;
      const definition = wanted.definition === undefined ? (definitions[0] ?? GENERAL) : find(wanted.definition);
      if (definition === undefined) {
        const names = definitions.map((one) => one.name).join(", ");
        return refused(`There is no kind of agent called ${JSON.stringify(wanted.definition)}. There are: ${names}.`);
      }
      const problem = checkTeammate(wanted) ?? (name === undefined ? undefined : checkName(name, options));
      if (problem !== undefined) return refused(problem);
      const id = createId();
      const facts = {
        id,
        way,
        goal: wanted.description,
        session: agentSession(session.id, id),
        definition: definition.name,
        name,
        plan: wanted.plan,
      };
      const ends = AbortSignal.any([session.signal, signal]);
      if (way !== "fork") {
        await session.background.enterAgent({ ...facts, step: "started" });
        const { model } = definition;
        const system = way === "teammate" ? teammateSystem(definition, wanted) : childSystem(definition);
        const child = { id: facts.session, begins: "new", system, definition } as const;
        const open = () => openChild({ ...child, ...(model === undefined ? {} : { model }) });
        return started(
          launch(facts, definition, { open, signal: ends, prompt: [taskOf(wanted.prompt)], responses: "entered-here" }),
        );
      }
      try {
        // Opened at once: what the session does next is not its own.
        const fork = await openFork(facts.session, momentOf(callId), definition);
        await session.background.enterAgent({ ...facts, step: "started" });
        const one = launch(facts, definition, {
          open: async () => fork,
          signal: ends,
          prompt: [forkTask(wanted.prompt)],
          responses: "already",
        });
        // One that never got its turn is closed, too.
        void one.done.then(() => fork.close()).catch(() => undefined);
        return started(one);
      } catch (error) {
        return refused(messageOf(error));
      }
    },

    async resume(agent, messages) {
      const definition = agent.definition === undefined ? GENERAL : find(agent.definition);
      if (definition === undefined) return refused(`Its kind, ${agent.definition}, is not there any more.`);
      const after = await newestEntry(options.store, agent.session);
      if ((await session.background.enterAgent({ id: agent.id, step: "resumed", after })) !== "entered")
        return refused(`${agent.id} is running, or belongs to work that was taken back.`);
      const isFork = agent.way === "fork";
      const open = () => openChild({ id: agent.session, begins: "again", ...(isFork ? {} : { definition }) });
      const facts = { ...agent, way: agent.way === "subagent" ? ("background" as const) : agent.way };
      return started(
        launch(facts, definition, { open, signal: session.signal, messages, prompt: [], responses: "entered-here" }),
      );
    },
  };

  function find(name: string): AgentDefinition | undefined {
    return definitions.find((one) => one.name === name);
  }

  function started(agent: LiveAgent): StartOutcome {
    return { kind: "started", agent };
  }
}

type AgentFacts = Pick<KnownAgent, "id" | "way" | "name" | "plan">;
type Permission = NonNullable<AgentsOptions["permission"]>;

function refused(why: string): { readonly kind: "refused"; readonly why: string } {
  return { kind: "refused", why };
}

function checkTeammate({ way, name, plan }: WantedAgent): string | undefined {
  if (way !== "teammate") return plan && "Only a teammate can wait for your answer to its plan: use way teammate.";
  return name === undefined ? "A teammate needs a name, so that others can write to it." : undefined;
}

function checkName(
  name: string,
  { session, name: main = "main" }: { readonly session: Pick<Session, "background">; readonly name?: string },
): string | undefined {
  if (!isName(name)) return `${JSON.stringify(name)} is no name: use 1 to 64 of A-Z a-z 0-9 _ . -`;
  const isTaken =
    name === main || session.background.agents().some((agent) => agent.name === name || agent.id === name);
  return isTaken ? `The name ${JSON.stringify(name)} is taken. Choose another.` : undefined;
}

async function newestEntry(store: AgentsOptions["store"], session: string): Promise<number> {
  const log = await store.openReader(session);
  if (log === undefined) return 0;
  try {
    return (await log.head()).sequence;
  } finally {
    await log.close();
  }
}

/** The task stays in view through every compaction of the agent, if it is short enough to be pinned. */
async function keep(child: Pick<Session, "append" | "pins">, prompt: readonly NewContent[]): Promise<void> {
  const [task] = await child.append(prompt);
  await child.pins.add(task!).catch(() => undefined);
}
