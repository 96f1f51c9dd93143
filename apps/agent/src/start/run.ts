import { text as readAll } from "node:stream/consumers";
import { type Clock, createInbox, type Inbox, type NewContent, query } from "palimpsest";
import type { Agent, AgentOptions } from "../agent/agent.ts";
import { COMMANDS } from "../cli/command-list.ts";
import { connectChosen } from "../cli/connect-chosen.ts";
import { rememberEndpoint, withEndpoint } from "../cli/endpoint.ts";
import { type EventRelay, relayEvents } from "../cli/event-relay.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { inOperatedProject } from "../cli/in-operated-project.ts";
import { keepCacheWarm } from "../cli/keep-cache-warm.ts";
import { problemsOf } from "../cli/open-problems.ts";
import { amountOf, countOf, oneOf, readArguments } from "../cli/read-arguments.ts";
import { readPromptLines } from "../cli/read-prompts.ts";
import { toEngineSettings } from "../cli/set-option.ts";
import type { Terminal } from "../cli/terminal.ts";
import { createReport, type TurnReport, toResult } from "../cli/turn-report.ts";
import { waitingInbox } from "../extensions/agents/open-agents.ts";
import { openAgent } from "../open-agent.ts";
import { type Rule, readRule } from "../permissions/rule.ts";
import { findSession } from "../workspace/stored-sessions.ts";
import { UsageError } from "../workspace/usage-error.ts";

const { options: OPTIONS } = COMMANDS.run;
const LOOK_EVERY_MS = 500;
/** Who gives one of these wants no screen. */
const FOR_PROGRAMS = ["output-format", "input-format", "max-rounds", "max-usd"] as const;

/** The conversation on the screen, or a turn without one; with `--input-format stream-json`, as many as there are messages. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS.run);
  const report = createReport(
    oneOf("--output-format", values["output-format"], OPTIONS["output-format"].of) ?? "text",
    terminal,
  );
  const input = oneOf("--input-format", values["input-format"], OPTIONS["input-format"].of) ?? "text";
  const maxRounds = countOf("--max-rounds", values["max-rounds"]);
  const maxUsd = amountOf("--max-usd", values["max-usd"]);
  const mode = oneOf("--mode", values.mode, OPTIONS.mode.of);
  const rules = [...toRules(values.deny, "deny"), ...toRules(values.allow, "allow")];
  const engine = toEngineSettings(values.set);
  const goesOn = values.continue === true || values.resume !== undefined;
  if (values.stay && values.name === undefined && !goesOn)
    throw new UsageError("--stay needs a --name: nobody could write to it.");
  if (values.continue && values.resume !== undefined) throw new UsageError("--continue or --resume ID, not both.");

  const prompt = input === "text" ? await readPrompt(values.prompt, positionals, terminal, goesOn) : undefined;
  // Nothing is asked, and somebody sits there: the conversation is held on the screen.
  const { screen } = terminal;
  const isForPrograms = FOR_PROGRAMS.some((name) => values[name] !== undefined);
  const isAttended = (prompt === "nothing" || prompt === undefined) && input === "text" && !isForPrograms;
  if (prompt === "nothing" && !(isAttended && screen !== undefined)) {
    const { run: help } = await import("../commands/help.ts");
    return help([], terminal);
  }

  return inOperatedProject(terminal, async (project, operations) => {
    const { folder, places, store } = project;
    const stored = goesOn ? await findSession(store, values.resume) : undefined;
    const before = stored && (await withEndpoint(stored.usedBefore, places.folderOf(stored.id)));
    const connection = await connectChosen(values, terminal, before);
    if (connection === undefined) return EXIT.failed;
    const { choice, provider, modelFacts } = connection;
    const { clock } = terminal;
    if (maxUsd !== undefined && provider.factsOf(choice.model).prices === undefined) {
      throw new UsageError(`--max-usd cannot be kept: no price is known for the model ${choice.model}.`);
    }
    const asked: Omit<AgentOptions, "model" | "id"> = {
      places,
      folder,
      environment: terminal.environment,
      store,
      provider,
      modelFacts,
      rules,
      clock,
      ...(mode === undefined ? {} : { mode }),
      ...(values.name === undefined ? {} : { name: values.name }),
      ...(values.web === true ? { web: "on" } : {}),
      operations,
      engine,
    };
    const id = stored === undefined ? {} : { id: stored.id };
    if (isAttended && screen !== undefined) {
      const { loadTerminal } = await import("../terminal/load-terminal.ts");
      const runTerminal = await loadTerminal();
      return runTerminal({
        project,
        terminal: { ...terminal, screen },
        provider,
        model: choice.model,
        ...id,
        style: values["screen-reader"] === true ? "plain" : "full",
        async open(ports, model, wanted) {
          const opened = { ...asked, ...ports, model, ...(wanted === undefined ? {} : { id: wanted }) };
          const agent = await openAgent(opened);
          await rememberEndpoint(places.folderOf(agent.session.id), choice);
          return agent;
        },
      });
    }
    const signal = terminal.interruption();
    const relay = relayEvents(report);
    const agent = await openAgent({ ...asked, model: choice.model, ...id, onEvent: relay.onEvent });
    try {
      for (const text of problemsOf(agent)) report.notice({ text, weight: "problem" });
      const endpoint = await rememberEndpoint(places.folderOf(agent.session.id), choice);
      if (endpoint === "secret")
        terminal.say("This --base-url may hold a key. It is not kept: give it again.", "warning");
      const spentBefore = agent.session.ledger.totals().priceUsd;
      const spentUsd = (): number => agent.session.ledger.totals().priceUsd - spentBefore;
      const turn = { agent, report, relay, signal, clock, maxRounds, maxUsd, spentUsd };
      if (input === "text") {
        const inbox = untilAgentsEnd(agent, report);
        let exitCode = await runTurn({ ...turn, inbox, ...(prompt === undefined ? {} : { prompt }) });
        while (values.stay && exitCode !== EXIT.budgetUsedUp) {
          keepCacheWarm(agent.session);
          if ((await agent.waitForMail(signal)) !== "mail") break;
          exitCode = await runTurn({ ...turn, inbox });
        }
        return exitCode;
      }
      return await runTurns(turn, terminal);
    } finally {
      await agent.close();
      report.end();
    }
  });
}

interface Turn {
  readonly agent: Agent;
  readonly report: TurnReport;
  readonly relay: EventRelay;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly maxRounds: number | undefined;
  readonly maxUsd: number | undefined;
  /** Since the program was started, compactions and notes included. */
  readonly spentUsd: () => number;
  readonly prompt?: NewContent;
  readonly inbox: Inbox;
}

async function runTurn(options: Turn): Promise<number> {
  const { agent, report, relay, signal, clock, prompt, inbox } = options;
  const { maxRounds, maxUsd = Number.POSITIVE_INFINITY, spentUsd } = options;
  const { session, tools, permission } = agent;
  const enough = new AbortController();
  const { takeDenied, ...permissions } = permission;
  await agent.beforeTurn(typeof prompt === "string" ? prompt : undefined);
  // What agents spend comes between two responses of this turn, or while it waits for them.
  const watch = setInterval(() => {
    if (spentUsd() >= maxUsd && agent.agents.list().some(({ live }) => live !== undefined)) enough.abort();
  }, LOOK_EVERY_MS);
  const turn = query(session, {
    tools,
    inbox,
    clock,
    ...permissions,
    signal: AbortSignal.any([signal, enough.signal]),
    afterTurn: agent.afterTurn,
    ...(prompt === undefined ? {} : { prompt }),
    ...(maxRounds === undefined ? {} : { maxRounds }),
  });
  relay.beginTurn();
  try {
    for (;;) {
      const next = await turn.next();
      if (next.done !== true) {
        if (next.value.kind !== "turn-ended") await relay.turnEvent(next.value);
        // Here, before its calls are run: what has not begun can be gone on with.
        if (next.value.kind === "response" && next.value.response.calls.length > 0 && spentUsd() >= maxUsd)
          enough.abort();
        continue;
      }
      await relay.endTurn();
      const isSpent = next.value.kind === "aborted" && enough.signal.aborted && !signal.aborted;
      const { rounds, usage } = next.value;
      const outcome = isSpent ? { kind: "budget-used-up" as const, spentUsd: spentUsd(), rounds, usage } : next.value;
      const result = toResult(session.id, outcome, takeDenied());
      // Which of the two signals it was.
      const exitCode =
        next.value.kind === "aborted" && typeof signal.reason === "number" ? signal.reason : result.exitCode;
      await report.result({ ...result, exitCode });
      return exitCode;
    }
  } finally {
    clearInterval(watch);
    await relay.endTurn();
  }
}

/** A turn that is the last is over when its agents are. */
function untilAgentsEnd({ agents, session }: Agent, report: TurnReport): Inbox {
  return waitingInbox({
    agents,
    waitMs: () => session.settings().settings["agents.waitSeconds"] * 1_000,
    onWait: (running) => void report.event({ kind: "notice", text: `waiting for ${running} agents` }),
  });
}

/** One turn after the other, as messages come and agents end; the exit code is that of the first that was not done. */
async function runTurns(turn: Omit<Turn, "inbox">, terminal: Terminal): Promise<number> {
  const { agent, report, signal } = turn;
  const said = createInbox();
  const lines = readPromptLines(terminal.input, said, signal);
  const whenAlone = untilAgentsEnd(agent, report);
  const inbox: Inbox = {
    deliver: async (session) => (await said.deliver(session)) + (await agent.agents.inbox.deliver(session)),
    // As long as somebody may still say something, nothing is waited for within a turn.
    settle: async (ends) => (lines.state() === "ended" ? whenAlone.settle?.(ends) : undefined),
  };
  let exitCode: number = EXIT.done;
  let coming = lines.next();
  for (;;) {
    const reported = agent.agents.idle().then((what) => (what === "waiting" ? what : coming));
    const next = await Promise.race([coming, reported]);
    if (signal.aborted) break;
    if (next === "ended") {
      await whenAlone.settle?.(signal);
      if (signal.aborted || (await inbox.deliver(agent.session)) === 0) break;
    }
    const ended = await runTurn({ ...turn, inbox });
    keepCacheWarm(agent.session);
    coming = lines.next();
    if (exitCode === EXIT.done) exitCode = ended;
    if (ended === EXIT.budgetUsedUp) break;
  }
  for (const problem of lines.problems) terminal.say(problem, "warning");
  return exitCode === EXIT.done && lines.problems.length > 0 ? EXIT.usage : exitCode;
}

/** `nothing`: there is nobody to say anything. Undefined: the session goes on from what it holds. */
async function readPrompt(
  given: string | undefined,
  positionals: readonly string[],
  { input }: Terminal,
  goesOn: boolean,
): Promise<string | "nothing" | undefined> {
  const [beside] = positionals;
  if (beside !== undefined && beside !== "-") {
    throw new UsageError(`${JSON.stringify(beside)}: a prompt goes behind -p; "-" stands for the standard input.`);
  }
  // An open pipe that nobody writes to is never waited for, unless it was asked for or is all there is.
  const isPiped = given === "-" || beside === "-" || (given === undefined && !goesOn && !input.isTTY);
  const words = given === "-" ? undefined : given;
  const piped = isPiped ? (await readAll(input)).trim() : "";
  const prompt = [words, piped].filter(Boolean).join("\n\n");
  if (prompt !== "") return prompt;
  if (given !== undefined || beside !== undefined) throw new UsageError("The prompt is empty.");
  return goesOn ? undefined : "nothing";
}

function toRules(texts: readonly string[] = [], decision: "allow" | "deny"): readonly Rule[] {
  return texts.map((text) => {
    const rule = readRule(text, decision, "user");
    if (rule !== undefined) return rule;
    throw new UsageError(
      `--${decision} ${JSON.stringify(text)} is no rule. Rules look like Bash(npm test *), Edit(src/**), Network.`,
    );
  });
}
