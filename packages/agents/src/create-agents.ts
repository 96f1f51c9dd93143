import { type Tool, withTimers } from "palimpsest";
import { aFunction, aValueOf, checkOptions, choice, ifGiven, integer, withMethods } from "palimpsest/schema";
import { STANDARD_AGENTS } from "./agent-definition.ts";
import { createAgentList } from "./agent-list.ts";
import { toAttachment } from "./agent-message.ts";
import type { AgentEnd } from "./agent-result.ts";
import { AGENT_TOOL, agentTool } from "./agent-tool.ts";
import type { Agents, StartedAgent } from "./agents.ts";
import type { AgentLimits, AgentsOptions } from "./agents-options.ts";
import { announceMail } from "./announce-mail.ts";
import { findRecorded, mailboxInbox } from "./mailbox-inbox.ts";
import { messageTool } from "./message-tool.ts";
import { createRoster } from "./roster.ts";
import { createPost, type Post } from "./send-message.ts";
import { createSessionInbox } from "./session-inbox.ts";
import { createStarter, type Starter, type StartOutcome, type WantedAgent } from "./start-agent.ts";
import { followPhrases } from "./summaries.ts";

/** Creates the agents of a session. All lasting state is in its log and in theirs. */
export function createAgents(options: AgentsOptions): Agents {
  checkOptions("createAgents", options, {
    session: withMethods(["append", "prepare", "fork"], "a session: await openSession()"),
    store: withMethods(["openWriter", "openReader"], "the store of the session"),
    openChild: aFunction("a function that opens a session for an agent"),
    maxRounds: ifGiven(aValueOf(integer("", { minimum: 1 }))),
    resultCharacters: ifGiven(aValueOf(integer("", { minimum: 1_000 }))),
    resultsCharacters: ifGiven(aValueOf(integer("", { minimum: 1_000 }))),
    phrases: ifGiven(aValueOf(choice(["on", "off"]))),
    phraseEveryMs: ifGiven(aValueOf(integer("", { minimum: 1_000 }))),
  });
  const limits = limitsOf(options);
  const { session, store, mailbox, definitions = STANDARD_AGENTS } = options;
  const clock = withTimers(options.clock);
  const settings = () => session.settings().settings;
  const roster = createRoster({ now: clock.now, maxRunning: () => settings()["agents.running"] });
  const announcements = mailbox && announceMail({ mailbox, session });
  const mail = mailbox && mailboxInbox({ mailbox, session, store, announce: announcements!.announce });
  const inbox = createSessionInbox({ session, store, roster, limits, mail });
  const agentList = createAgentList({ session, store, roster, now: clock.now });

  const settle = (): Promise<number> => inbox.deliver(session);
  const starter: Starter = createStarter({
    ...options,
    ...limits,
    roster,
    mainOnly: [AGENT_TOOL, ...(options.mainOnlyTools ?? [])],
    ownTools: (sender) => [tool, messageTool((wanted) => post(wanted, sender))],
  });
  const resume: Starter["resume"] = async (agent, waiting) => announced(await starter.resume(agent, waiting));
  const post: Post = createPost({
    ...options,
    roster,
    resume,
    settle,
    toMain: inbox.addMessage,
  });

  /** Its report comes through the inbox. */
  function announced(outcome: StartOutcome): StartOutcome {
    if (outcome.kind === "refused") return outcome;
    inbox.expect(outcome.agent);
    agentList.remember(outcome.agent);
    return outcome;
  }

  async function start(wanted: WantedAgent): Promise<StartedAgent> {
    const outcome = announced(await starter.start(wanted));
    if (outcome.kind === "refused") return outcome;
    const { id, done } = outcome.agent;
    return { kind: "started", id, done };
  }

  async function runAndWait(wanted: WantedAgent): Promise<AgentEnd> {
    const outcome = await starter.start(wanted);
    if (outcome.kind === "refused") return { outcome: "failed", text: `Nothing was started: ${outcome.why}` };
    const { id, done } = outcome.agent;
    const end = await done;
    inbox.change();
    // An aborted turn takes no more results; a closed session takes no more steps.
    await session.background
      .enterAgent({ id, step: "ended", outcome: end.outcome, told: "by-call" })
      .catch(() => undefined);
    return end;
  }

  async function stop(id: string): Promise<"stopped" | "not-running"> {
    const one = roster.live.get(id);
    // A teammate that is idle has no run to abort.
    if (one === undefined) {
      await settle();
      const step = { id, step: "ended", outcome: "stopped", told: "by-call" } as const;
      const isIdle = session.background.agents().some((agent) => agent.id === id && agent.status === "idle");
      return isIdle && (await session.background.enterAgent(step)) === "entered" ? "stopped" : "not-running";
    }
    one.stop("It was stopped.");
    await one.done;
    return "stopped";
  }

  const tool: Tool = agentTool({
    definitions,
    runAndWait,
    read: agentList.read,
    list: agentList.text,
    async start(wanted) {
      const outcome = await start(wanted);
      return outcome.kind === "started" ? { id: outcome.id } : { why: outcome.why };
    },
    async stop(named) {
      const id = agentList.find(named)?.id;
      return id !== undefined && (await stop(id)) === "stopped" ? `${named} was stopped.` : `${named} does not run.`;
    },
  });

  async function drain(timeoutMs: number): Promise<"drained" | "left"> {
    const over = new AbortController();
    const late = clock.wait(timeoutMs, over.signal, "free").then(() => "left" as const);
    const all = Promise.all([...roster.live.values()].map(({ done }) => done)).then(() => "drained" as const);
    const outcome = await Promise.race([all, late]);
    over.abort();
    return outcome;
  }

  return {
    tools: [
      ...(settings()["agents.enabled"] === "off" ? [] : [tool]),
      messageTool((wanted) => post(wanted, { id: "main" })),
    ],
    inbox,
    start,
    stop,
    list: agentList.list,
    drain,
    send: (to, body, summary) => post({ to, body, kind: "message", summary }, { id: "main" }),
    async take({ key, from, body, summary }) {
      if ((await findRecorded([key], { session, store })).length > 0) return;
      const who = `uds:${from.says}`;
      session.events.emit({ kind: "mail-arrived", count: 1, from: [who] });
      await session.append(toAttachment({ key, from: who, kind: "message", body, summary }));
    },
    follow: (id, listener) => {
      const one = roster.live.get(id);
      return one === undefined ? () => undefined : followPhrases(one, { listener, clock, limits });
    },
    waitForMail: async (signal) => announcements?.wait(signal) ?? "over",
    idle: inbox.idle,
    async close() {
      if (!session.signal.aborted) await settle().catch(() => undefined);
      inbox.forgetLost();
      const all = [...roster.live.values()];
      for (const one of all) one.stop("The program ended while it ran.");
      await Promise.all(all.map(({ done }) => done));
    },
  };
}

function limitsOf(options: AgentLimits): Required<AgentLimits> {
  const { maxRounds = 200, resultCharacters = 20_000, resultsCharacters = 60_000 } = options;
  const { phrases = "on", phraseEveryMs = 30_000 } = options;
  return { maxRounds, resultCharacters, resultsCharacters, phrases, phraseEveryMs };
}
