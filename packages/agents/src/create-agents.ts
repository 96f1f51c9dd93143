import type { PeerMessage } from "@palimpsest/coordination";
import { attachment, type Inbox, type QueryEvent, type Tool } from "palimpsest";
import { aFunction, checkOptions, type InboxSession, withMethods, withTimers } from "palimpsest/core";

import { STANDARD_AGENTS } from "./agent-definition.ts";
import { type AgentMessage, toAttachment } from "./agent-message.ts";
import { type AgentEnd, type EndedAgent, resultTexts } from "./agent-result.ts";
import { AGENT_TOOL, agentTool } from "./agent-tool.ts";
import type { AgentsOptions } from "./agents-options.ts";
import { announceMail } from "./announce-mail.ts";
import { RESULT } from "./data-marks.ts";
import { findRecorded, mailboxInbox } from "./mailbox-inbox.ts";
import { type MessageSent, messageTool } from "./message-tool.ts";
import { readReport } from "./read-report.ts";
import { createRoster, type LiveAgent } from "./roster.ts";
import { createPost, type Post } from "./send-message.ts";
import { createStarter, type KnownAgent, type Starter, type StartOutcome, type WantedAgent } from "./start-agent.ts";
import { followPhrases } from "./summaries.ts";

/** An agent as the log knows it, and as it is now if it runs in this process. */
export interface ListedAgent extends KnownAgent {
  readonly live?: LiveState;
}

export interface LiveState {
  /** What it is doing, in a few words; only while somebody follows it. */
  readonly phrase?: string;
  readonly rounds: number;
  /** Of its own session, those read from the cache included. */
  readonly tokens: number;
  readonly priceUsd: number;
  readonly elapsedMs: number;
}

export interface Agents {
  /** `Agent`, unless agents are off, and `SendMessage`: to stand behind the session's own tools in its list. */
  readonly tools: readonly Tool[];
  /** For the session's queries: results of agents that have ended, and messages to the session. */
  readonly inbox: Inbox;
  /** Starts one; `done` resolves when it has ended and never rejects. Its result comes through the inbox. */
  start(wanted: WantedAgent): Promise<StartedAgent>;
  /** Ends one, and resolves when it has ended. */
  stop(id: string): Promise<"stopped" | "not-running">;
  /** Sends a message in the session's name. */
  send(to: string, body: string, summary?: string): Promise<MessageSent>;
  /** Takes a message that another session has sent to this one's socket; resolves when it is in the log. */
  take(message: PeerMessage): Promise<void>;
  list(): readonly ListedAgent[];
  /** Tells the listener what happens in one that runs, and has it asked now and then what it is doing. Returns what ends it. */
  follow(id: string, listener: (event: AgentFollowed) => void): () => void;
  /** Resolves when the inbox has something, or when nothing runs any more. */
  idle(): Promise<"waiting" | "nothing-runs">;
  /**
   * Waits for mail of other processes, and tells the session's listeners of it; the next turn takes it in. `over`: the signal
   * came, or there is no mailbox to wait at.
   */
  waitForMail(signal: AbortSignal): Promise<"mail" | "over">;
  /** Waits for all that run, so long and no longer. */
  drain(timeoutMs: number): Promise<"drained" | "left">;
  /** Ends all that run. What has come to its end before is in the log then. */
  close(): Promise<void>;
}

export type StartedAgent =
  | { readonly kind: "started"; readonly id: string; readonly done: Promise<AgentEnd> }
  | { readonly kind: "refused"; readonly why: string };

export type AgentFollowed = QueryEvent | { readonly kind: "phrase"; readonly phrase: string };

const READ_CHARACTERS = 20_000;

/** The agents of a session: whatever is to outlive the process is in its log and in theirs. */
export function createAgents(options: AgentsOptions): Agents {
  checkOptions("createAgents", options, {
    session: withMethods(["append", "prepare", "fork"], "a session: await openSession()"),
    store: withMethods(["openWriter", "openReader"], "the store of the session"),
    openChild: aFunction("a function that opens a session for an agent"),
  });
  const { session, store, mailbox, definitions = STANDARD_AGENTS } = options;
  const clock = withTimers(options.clock);
  const settings = () => session.settings().settings;
  const roster = createRoster({ now: clock.now, mostRunning: () => settings()["agents.running"] });
  const announcements = mailbox && announceMail({ mailbox, session });
  const mail = mailbox && mailboxInbox({ mailbox, session, store, announce: announcements!.announce });
  /** Those of a process that is gone. */
  let lost = session.background.agents().filter(({ status }) => status === "running");
  const ended: EndedAgent[] = [];
  const messages: AgentMessage[] = [];
  /** Those whose result is to come through the inbox, until it waits there. */
  const unreported = new Set<LiveAgent>();
  let changed = Promise.withResolvers<void>();
  const change = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };

  const hasWaiting = (): boolean => ended.length + messages.length + lost.length > 0;
  let last: Promise<unknown> = Promise.resolve();
  const inbox: Inbox = {
    // One after the other: what waits is taken once.
    deliver(target) {
      const delivered = last.then(() => deliver(target));
      last = delivered.catch(() => undefined);
      return delivered;
    },
  };

  async function deliver(target: InboxSession): Promise<number> {
    stopTakenBack();
    ended.push(...(await Promise.all(lost.splice(0).map(lostAgent))));
    const { "agents.resultCharacters": resultCharacters, "agents.resultsCharacters": resultsCharacters } = settings();
    const told = [...ended];
    const texts = resultTexts(told, { resultCharacters, resultsCharacters });
    let count = 0;
    for (const [at, { id, outcome }] of told.entries()) {
      const step = { id, step: "ended", outcome, told: "next-entry" } as const;
      if ((await target.background.enterAgent(step, attachment(RESULT, texts[at]!))) === "entered") count++;
      ended.splice(
        ended.findIndex((one) => one.id === id),
        1,
      );
    }
    const taken = messages.length;
    if (taken > 0) await target.append(messages.slice(0, taken).map(toAttachment));
    messages.splice(0, taken);
    return count + taken + ((await mail?.deliver(target)) ?? 0);
  }

  /** What it was working on is not wanted any more: it would go on spending. */
  function stopTakenBack(): void {
    const known = new Set(session.background.agents().map(({ id }) => id));
    for (const one of roster.live.values()) if (!known.has(one.id)) one.stop("Its work was taken back.");
  }

  async function lostAgent({ id, name, session: log }: KnownAgent): Promise<EndedAgent> {
    const report = await readReport(store, log).catch(() => undefined);
    const who = { id, ...(name === undefined ? {} : { name }) };
    if (report?.isFinal) return { ...who, outcome: "done", text: report.text };
    const why = "The program ended while it ran. SendMessage makes it go on from its log.";
    return {
      ...who,
      outcome: "stopped",
      text: report === undefined ? why : `${why}\nWhat it said last:\n${report.text}`,
    };
  }

  const settle = (): Promise<number> => inbox.deliver(session);
  const starter: Starter = createStarter({
    ...options,
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
    toMain(message) {
      messages.push(message);
      change();
    },
  });

  /** What it says at its end comes through the inbox. */
  function announced(outcome: StartOutcome): StartOutcome {
    if (outcome.kind === "refused") return outcome;
    const { agent } = outcome;
    unreported.add(agent);
    void agent.done.then((end) => {
      unreported.delete(agent);
      report(agent, end);
    });
    return outcome;
  }

  function report({ id, name }: LiveAgent, end: AgentEnd): void {
    ended.push({ id, ...(name === undefined ? {} : { name }), ...end });
    change();
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
    change();
    // A turn that was aborted takes no result any more; a session that was closed, no step.
    await session.background
      .enterAgent({ id, step: "ended", outcome: end.outcome, told: "by-call" })
      .catch(() => undefined);
    return end;
  }

  async function stop(id: string): Promise<"stopped" | "not-running"> {
    const one = roster.live.get(id);
    if (one === undefined) return "not-running";
    one.stop("It was stopped.");
    await one.done;
    return "stopped";
  }

  function list(): readonly ListedAgent[] {
    return session.background.agents().map((agent) => {
      const one = roster.live.get(agent.id);
      return one === undefined ? agent : { ...agent, live: liveState(one) };
    });
  }

  function liveState({ phrase, rounds, startedAtMs, session: child }: LiveAgent): LiveState {
    const used = child?.ledger.totals();
    const { freshTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens = 0 } = used ?? {};
    return {
      ...(phrase === undefined ? {} : { phrase }),
      rounds,
      tokens: freshTokens + cacheReadTokens + cacheWriteTokens + outputTokens,
      priceUsd: used?.priceUsd ?? 0,
      elapsedMs: clock.now() - startedAtMs,
    };
  }

  const find = (named: string): KnownAgent | undefined => {
    const agents = session.background.agents();
    return agents.find(({ id }) => id === named) ?? agents.findLast(({ name }) => name === named);
  };

  async function read(named: string, from: number): Promise<string> {
    const agent = find(named);
    if (agent === undefined) return `There is no agent ${JSON.stringify(named)}.`;
    const one = roster.live.get(agent.id);
    const text = one?.text ?? (await readReport(store, agent.session))?.text ?? "";
    const status = one === undefined ? agent.status : `running, ${one.rounds} responses so far`;
    const shown = text.slice(from, from + READ_CHARACTERS);
    const more = from + shown.length < text.length ? `\n[go on from_character ${from + shown.length}]` : "";
    return `${agent.id} (${status}) said last:\n${shown || "nothing"}${more}`;
  }

  const tool: Tool = agentTool({
    definitions,
    runAndWait,
    read,
    list: () => list().map(lineOf).join("\n") || "There are no agents.",
    async start(wanted) {
      const outcome = await start(wanted);
      return outcome.kind === "started" ? { id: outcome.id } : { why: outcome.why };
    },
    async stop(named) {
      const id = find(named)?.id;
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
    list,
    drain,
    send: (to, body, summary) =>
      post({ to, body, kind: "message", ...(summary === undefined ? {} : { summary }) }, { id: "main" }),
    async take({ key, from, body, summary }) {
      if ((await findRecorded([key], { session, store })).length > 0) return;
      const who = `uds:${from.says}`;
      session.events.emit({ kind: "mail-arrived", count: 1, from: [who] });
      await session.append(
        toAttachment({ key, from: who, kind: "message", body, ...(summary === undefined ? {} : { summary }) }),
      );
    },
    follow: (id, listener) => {
      const one = roster.live.get(id);
      return one === undefined ? () => undefined : followPhrases(one, { listener, clock, settings });
    },
    waitForMail: async (signal) => announcements?.wait(signal) ?? "over",
    async idle() {
      while (!hasWaiting() && unreported.size > 0) await changed.promise;
      return hasWaiting() ? "waiting" : "nothing-runs";
    },
    async close() {
      if (!session.signal.aborted) await settle().catch(() => undefined);
      lost = [];
      const all = [...roster.live.values()];
      for (const one of all) one.stop("The program ended while it ran.");
      await Promise.all(all.map(({ done }) => done));
    },
  };
}

function lineOf({ id, name, definition, way, goal, status, live }: ListedAgent): string {
  const who = [name ?? id, definition].filter((part) => part !== undefined).join(", ");
  const now =
    live === undefined ? status : `${status}, ${live.rounds} responses${live.phrase ? `: ${live.phrase}` : ""}`;
  return `- ${who} (${way}): ${goal.replace(/\s+/g, " ")} [${now}]`;
}
