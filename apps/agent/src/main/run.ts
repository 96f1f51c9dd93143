import { createInterface } from "node:readline";
import { text as readAll } from "node:stream/consumers";
import {
  attachment,
  type Clock,
  commandOutput,
  createInbox,
  type Inbox,
  type MemoryInbox,
  type NewContent,
  type Tool,
} from "palimpsest";

import type { Agent, AgentOptions } from "../agent/agent.ts";
import { openAgent } from "../agent/open-agent.ts";
import { hearMail, untilAgentsEnd } from "../agent/start-turn.ts";
import { readAgentArguments } from "../commands/agent-arguments.ts";
import type { ProviderChoice } from "../commands/choose-provider.ts";
import { connectChosen, rememberEndpoint, withEndpoint } from "../commands/connect-chosen.ts";
import { COMMANDS } from "../commands/definitions.ts";
import { EXIT } from "../commands/exit-codes.ts";
import { inOperatedProject } from "../commands/open-project.ts";
import { amountOf, countOf, oneOf, readArguments } from "../commands/read-arguments.ts";
import { type EventRelay, keepCacheWarm, relayEvents, reportTurn } from "../commands/stream/report-turn.ts";
import { createReport, type TurnReport, toResult } from "../commands/stream/turn-report.ts";
import type { Terminal } from "../commands/terminal.ts";
import { problemsOf } from "../commands/text/notice-text.ts";
import type { WatchedResult } from "../terminal/watch-tools.ts";
import { findSession } from "../workspace/stored-sessions.ts";
import { UsageError } from "../workspace/usage-error.ts";

const { options: OPTIONS } = COMMANDS.run;
const LOOK_EVERY_MS = 500;
/** Options that select a run without a screen. */
const FOR_PROGRAMS = ["output-format", "input-format", "max-rounds", "max-usd"] as const;

/** Opens the conversation on the screen. Without a screen, runs one turn, or one turn per message of a stream. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(withChoice(args), COMMANDS.run);
  const format = oneOf("--output-format", values["output-format"], OPTIONS["output-format"].of) ?? "text";
  const report = createReport(format, terminal);
  const input = oneOf("--input-format", values["input-format"], OPTIONS["input-format"].of) ?? "text";
  const maxRounds = countOf("--max-rounds", values["max-rounds"]);
  const maxUsd = amountOf("--max-usd", values["max-usd"]);
  const agentArguments = readAgentArguments(values);
  const goesOn = values.continue === true || values.resume !== undefined;
  if (values.stay && values.name === undefined && !goesOn)
    throw new UsageError("--stay needs --name NAME, so that other sessions can send messages to this one.");
  if (values.continue && values.resume !== undefined) throw new UsageError("Use --continue or --resume ID, not both.");

  const prompt = input === "text" ? await readPrompt(values.prompt, positionals, terminal, goesOn) : undefined;
  // Without a prompt, a person at a terminal gets the conversation on the screen.
  const { screen } = terminal;
  const isForPrograms = FOR_PROGRAMS.some((name) => values[name] !== undefined);
  const isAttended = (prompt === "nothing" || prompt === undefined) && input === "text" && !isForPrograms;
  if (prompt === "nothing" && !(isAttended && screen !== undefined)) {
    const { run: help } = await import("../commands/help.ts");
    return help([], terminal);
  }

  const chooses = values.resume === "";
  if (chooses && !(isAttended && screen !== undefined)) {
    throw new UsageError("--resume needs the ID of a session here. To list the sessions: palimpsest sessions.");
  }
  return inOperatedProject(terminal, async (project, operations) => {
    const { folder, places, store } = project;
    const stored = goesOn && !chooses ? await findSession(store, values.resume) : undefined;
    const before = stored && (await withEndpoint(stored.usedBefore, places.folderOf(stored.id)));
    const onNoKey =
      isAttended && screen !== undefined
        ? async (choice: ProviderChoice) =>
            (await import("../commands/keys/set-up-provider.ts")).setUpProvider(choice, { ...terminal, screen })
        : undefined;
    const connection = await connectChosen(values, terminal, { before, onNoKey });
    if (connection === undefined) return EXIT.failed;
    const { choice, provider, modelFacts } = connection;
    const { clock } = terminal;
    if (maxUsd !== undefined && provider.factsOf(choice.model).prices === undefined) {
      throw new UsageError(
        `--max-usd does not work with ${choice.model}: its price is unknown. Set it in settings.json, "models", or leave --max-usd out.`,
      );
    }
    const agentOptions: Omit<AgentOptions, "model" | "id"> = {
      places,
      folder,
      environment: terminal.environment,
      store,
      provider,
      modelFacts,
      clock,
      ...agentArguments,
      ...(values.name === undefined ? {} : { name: values.name }),
      operations,
    };
    const id = stored === undefined ? {} : { id: stored.id };
    if (isAttended && screen !== undefined) {
      const { askMemory } = await import("../commands/ask-memory.ts");
      if ((await askMemory({ ...terminal, screen })) === undefined) return EXIT.failed;
      const { loadTerminal } = await import("../terminal/load-terminal.ts");
      const runTerminal = await loadTerminal();
      return runTerminal({
        project,
        terminal: { ...terminal, screen },
        provider,
        model: choice.model,
        listModels: connection.listModels,
        start: values.resume === "" ? "choose" : stored === undefined ? "new" : { id: stored.id },
        style: values["screen-reader"] === true ? "plain" : "full",
        async open(ports, model, wanted) {
          const opened = { ...agentOptions, ...ports, model, ...(wanted === undefined ? {} : { id: wanted }) };
          const agent = await openAgent(opened);
          await rememberEndpoint(places.folderOf(agent.session.id), choice);
          return agent;
        },
      });
    }
    const signal = terminal.interruption();
    const relay = relayEvents(report);
    const onNotice = (text: string): void => report.notice({ text, weight: "problem" });
    const onWait = (text: string): void => void report.event({ kind: "notice", text });
    const agent = await openAgent({ ...agentOptions, model: choice.model, ...id, onEvent: relay.onEvent, onNotice });
    try {
      await report.begin({ session: agent.session.id, model: choice.model, folder });
      for (const text of problemsOf(agent)) onNotice(text);
      const endpoint = await rememberEndpoint(places.folderOf(agent.session.id), choice);
      if (endpoint === "secret")
        terminal.say(
          "This --base-url may contain a key, so it is not saved. Give it again when you resume.",
          "warning",
        );
      const spentBefore = agent.session.ledger.totals().priceUsd;
      const spentUsd = (): number => agent.session.ledger.totals().priceUsd - spentBefore;
      const outputs = format === "stream-json" ? await reportOutputs(report) : undefined;
      const turn = { agent, report, relay, onWait, signal, clock, maxRounds, maxUsd, spentUsd, outputs };
      if (input === "text") {
        const inbox = untilAgentsEnd(agent, onWait);
        let exitCode = await runTurn({
          ...turn,
          inbox,
          ...(prompt === undefined || prompt === "nothing" ? {} : { prompt }),
        });
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

/** Gives `--resume` without an ID an empty value, so that the person can choose a session. */
function withChoice(args: readonly string[]): readonly string[] {
  return args.map((word, index) => {
    const next = args[index + 1];
    const isAlone = (word === "--resume" || word === "-r") && (next === undefined || next.startsWith("-"));
    return isAlone ? "--resume=" : word;
  });
}

/** Wraps each tool, to report its results. */
async function reportOutputs(report: TurnReport): Promise<NonNullable<Turn["outputs"]>> {
  const { watchTools } = await import("../terminal/watch-tools.ts");
  const onResult = (callId: string, { text, lines }: WatchedResult): void =>
    void report.event({ kind: "tool-output", callId, text, lines });
  return (tools) => watchTools(tools, { onResult });
}

interface Turn {
  readonly agent: Agent;
  readonly report: TurnReport;
  readonly relay: EventRelay;
  /** Called when a turn begins to wait for its agents. */
  readonly onWait: (text: string) => void;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly maxRounds: number | undefined;
  readonly maxUsd: number | undefined;
  /** The cost since the program started, including compactions and notes. */
  readonly spentUsd: () => number;
  readonly prompt?: readonly NewContent[];
  readonly inbox: Inbox;
  /** Wraps tools, to report their results. @default results are not reported */
  readonly outputs?: ((tools: readonly Tool[]) => readonly Tool[]) | undefined;
}

async function runTurn(options: Turn): Promise<number> {
  const { agent, report, relay, signal, clock, prompt, inbox, outputs } = options;
  const { maxRounds, maxUsd = Number.POSITIVE_INFINITY, spentUsd } = options;
  const { session, permission } = agent;
  const enough = new AbortController();
  // Agents spend money between two responses of this turn, and while the turn waits for them.
  const watch = setInterval(() => {
    if (spentUsd() >= maxUsd && agent.agents.list().some(({ live }) => live !== undefined)) enough.abort();
  }, LOOK_EVERY_MS);
  try {
    const ended = await reportTurn(agent, {
      relay,
      tools: outputs === undefined ? undefined : outputs(agent.tools),
      inbox,
      clock,
      maxRounds,
      signal: AbortSignal.any([signal, enough.signal]),
      words: prompt?.find((content) => typeof content === "string"),
      prompt,
      // The turn stops before its tool calls run, so that `--continue` can run them.
      afterEvent(event) {
        if (event.kind === "response" && event.response.calls.length > 0 && spentUsd() >= maxUsd) enough.abort();
      },
    });
    const isSpent = ended.kind === "aborted" && enough.signal.aborted && !signal.aborted;
    const { rounds, usage } = ended;
    const outcome = isSpent ? { kind: "budget-used-up" as const, spentUsd: spentUsd(), rounds, usage } : ended;
    const result = toResult(session.id, outcome, permission.takeDenied());
    // The exit code tells which signal ended the run.
    const exitCode = ended.kind === "aborted" && typeof signal.reason === "number" ? signal.reason : result.exitCode;
    await report.result({ ...result, exitCode });
    return exitCode;
  } finally {
    clearInterval(watch);
  }
}

/** Runs a turn for each message and each finished agent. The exit code is the code of the first unsuccessful turn. */
async function runTurns(turn: Omit<Turn, "inbox">, terminal: Terminal): Promise<number> {
  const { agent, onWait, signal } = turn;
  const promptInbox = createInbox();
  const lines = readPromptLines(terminal.input, promptInbox, signal);
  const whenAlone = untilAgentsEnd(agent, onWait);
  const inbox: Inbox = {
    deliver: async (session) => (await promptInbox.deliver(session)) + (await agent.agents.inbox.deliver(session)),
    // While more messages can arrive, a turn does not wait for agents.
    settle: async (ends) => (lines.state() === "ended" ? whenAlone.settle?.(ends) : undefined),
  };
  let exitCode: number = EXIT.done;
  let coming = lines.next();
  let woken = Promise.withResolvers<"mail">();
  // Ends with the session. If the session fails, the turn reports the failure.
  void hearMail(agent, () => woken.resolve("mail")).catch(() => undefined);
  for (;;) {
    const reported = agent.agents.idle().then((what) => (what === "waiting" ? what : coming));
    const next = await Promise.race([coming, reported, woken.promise]);
    if (signal.aborted) break;
    if (next === "mail") {
      woken = Promise.withResolvers();
      // A turn that was running when the mail arrived has already read it.
      if ((await inbox.deliver(agent.session)) === 0) continue;
    }
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

/** Reads the prompt. `nothing`: no prompt was given. Undefined: resume the session without a new prompt. */
async function readPrompt(
  given: string | undefined,
  positionals: readonly string[],
  { input }: Terminal,
  goesOn: boolean,
): Promise<readonly NewContent[] | "nothing" | undefined> {
  const [beside] = positionals;
  if (beside !== undefined && beside !== "-") {
    throw new UsageError(
      `Unexpected argument ${JSON.stringify(beside)}. A prompt goes after -p: palimpsest -p ${JSON.stringify(beside)}. "-" means standard input.`,
    );
  }
  // Reads standard input only if "-" requests it or if there is no other prompt, because an open pipe may never end.
  const isPiped = given === "-" || beside === "-" || (given === undefined && !goesOn && !input.isTTY);
  const words = given === "-" ? undefined : given;
  const piped = isPiped ? (await readAll(input)).trim() : "";
  if (piped !== "") return words ? [words, pipedInput(piped)] : [TASK_IS_PIPED, pipedInput(piped)];
  if (words) return [words];
  if (given !== undefined || beside !== undefined) throw new UsageError('The prompt is empty: palimpsest -p "..."');
  return goesOn ? undefined : "nothing";
}

/** Marks piped text as data from outside: the person at the prompt did not write a log, a diff or a page. */
function pipedInput(text: string): NewContent {
  return { ...commandOutput(text), provenance: { kind: "outside", name: "standard input" } };
}

const TASK_IS_PIPED = attachment("input", "The task was given on the standard input. Do what it asks.", {
  kind: "host",
});

/** User messages from JSON lines: `{"kind":"user","text":"..."}`. */
interface PromptLines {
  /** Resolves when a message waits in the inbox, or when the input has ended. */
  next(): Promise<"waiting" | "ended">;
  /** Whether more input can arrive. */
  state(): "open" | "ended";
  /** Describes invalid lines, one text each. */
  readonly problems: readonly string[];
}

/** Puts messages into the inbox as they arrive. A message that arrives during a turn joins its next request. */
function readPromptLines(input: NodeJS.ReadableStream, inbox: MemoryInbox, signal: AbortSignal): PromptLines {
  const problems: string[] = [];
  let state: "open" | "ended" = "open";
  let wake = (): void => {};
  const lines = createInterface({ input, signal });
  lines.on("line", (line) => {
    if (line.trim() === "") return;
    const text = textOf(line);
    if (text === undefined)
      problems.push(`Not a message: ${line.slice(0, 200)}. Each line must be {"kind":"user","text":"..."}.`);
    else inbox.push(text);
    wake();
  });
  lines.on("close", () => {
    state = "ended";
    wake();
  });
  return {
    problems,
    state: () => state,
    async next() {
      for (;;) {
        if (inbox.waiting.length > 0) return "waiting";
        if (state === "ended") return "ended";
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

function textOf(line: string): string | undefined {
  try {
    const { kind, text } = JSON.parse(line) as { readonly kind?: unknown; readonly text?: unknown };
    return kind === "user" && typeof text === "string" && text !== "" ? text : undefined;
  } catch {
    return undefined;
  }
}
