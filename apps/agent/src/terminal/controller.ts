import { join } from "node:path";
import { commandOutput, type Provider, type SessionEvent } from "palimpsest";
import type { Agent, AgentOptions } from "../agent/agent.ts";
import type { EventOwner } from "../agent/event-owner.ts";
import { hearMail } from "../agent/hear-mail.ts";
import { problemsOf } from "../cli/open-problems.ts";
import type { Project } from "../cli/open-project.ts";
import type { Terminal } from "../cli/terminal.ts";
import { loadCommand } from "../commands/load-command.ts";
import { findShell } from "../sandbox/find-program.ts";
import { cleanText } from "../text/clean-text.ts";
import { plain, plainLines } from "../text/line.ts";
import { readTranscript } from "../workspace/read-transcript.ts";
import { showChanges } from "../workspace/show-changes.ts";
import { askPerson } from "./ask-person.ts";
import { attachImages } from "./attach-images.ts";
import { boundaryLine } from "./boundary-line.ts";
import { chooseProfile } from "./choose-profile.ts";
import { asTerminal } from "./commands/as-terminal.ts";
import { findCommand } from "./commands/find-command.ts";
import { OFFERED_MODES } from "./commands/mode.ts";
import type { ScreenContext } from "./commands/screen-command.ts";
import { slashCommands } from "./commands/slash-commands.ts";
import { createPrinter } from "./create-printer.ts";
import { createDialogs } from "./dialogs/create-dialogs.ts";
import { findFiles } from "./find-files.ts";
import { promptFile } from "./prompt-history.ts";
import { type CurrentFile, readCurrentFile } from "./read-current-file.ts";
import { readStatus } from "./read-status.ts";
import { resumeOffer } from "./resume-offer.ts";
import { runShell } from "./run-shell.ts";
import type { Screen } from "./screen.ts";
import type { Effect } from "./screen-event.ts";
import { earlierItems, isCutShort } from "./start-items.ts";
import { createTurns, type Saying } from "./turns.ts";

export interface ControllerOptions {
  readonly project: Project;
  readonly terminal: Terminal;
  readonly provider: Provider;
  readonly model: string;
  /** Opens the agent. @param id the session to resume. @default a new session */
  readonly open: (ports: ScreenPorts, model: string, id?: string) => Promise<Agent>;
  readonly screen: () => Screen;
  readonly show: (what: "conversation" | "transcript") => Promise<void>;
  readonly redraw: () => void;
}

/** The functions that the agent calls on the screen. */
export type ScreenPorts = Required<Pick<AgentOptions, "person" | "onEvent" | "startedBy">>;

/** Carries out the actions of the screen. No other part of the terminal changes the session. */
export interface Controller {
  start(id?: string): Promise<void>;
  act(effect: Effect): void;
  /** Resolves when the user exits. */
  readonly left: Promise<void>;
  close(): Promise<void>;
}

/** How much of a resumed session is read: enough for its last messages. */
const SHOWN_ENTRIES = 200;

export function createController(options: ControllerOptions): Controller {
  const { project, terminal, provider } = options;
  const { folder, places, store } = project;
  const emit: Screen["emit"] = (event) => options.screen().emit(event);
  const { print, say, showError } = createPrinter(emit);
  const dialogs = createDialogs(emit);
  const { ask } = dialogs;
  const history = promptFile(join(places.project, "prompts.jsonl"));
  const left = Promise.withResolvers<void>();
  let agent: Agent;
  let commands = slashCommands([]);

  async function refresh(): Promise<void> {
    emit({ kind: "status", status: await readStatus(agent), background: agent.status() });
  }

  const readFile = (path: string): Promise<CurrentFile> =>
    readCurrentFile(path, [folder, ...agent.settings.settings.folders]);

  const person = askPerson({
    ask,
    async chooseProfile(signal) {
      const current = agent.session.settings().settings.profile;
      await chooseProfile({ file: places.engineSettings, current, ask, say }, signal);
    },
    stop: () => turns.stop(),
    readFile,
    folder,
    onOutput: (callId, text) => emit({ kind: "tool-output", callId, text }),
    onHook: (name, state) => emit({ kind: "hook", name, state }),
    async onNotice(text, weight) {
      say(text, { color: weight === "problem" ? "warning" : "quiet" });
      await refresh();
    },
    onBackground: refresh,
  });

  function onEvent(event: SessionEvent, owner?: EventOwner): void {
    emit({ kind: "session", event, ...(owner === undefined ? {} : { owner }) });
    if (owner === undefined && event.kind === "compaction-ended" && event.outcome.kind === "compacted")
      void showBoundary();
  }
  async function showBoundary(): Promise<void> {
    const [newest] = await agent.session.history.explain(1);
    if (newest !== undefined) print([boundaryLine(newest)]);
    await refresh();
  }

  const turns = createTurns({
    agent: () => agent,
    clock: terminal.clock,
    emit,
    readFile,
    refresh,
    showError,
    onIdle: () => void awaitAgents(agent).catch(showError),
  });

  async function openSession(
    model: string,
    id?: string,
    startedBy: ScreenPorts["startedBy"] = "startup",
  ): Promise<void> {
    agent = await options.open({ person, onEvent, startedBy }, model, id);
    commands = slashCommands(agent.commands);
    emit({ kind: "commands", commands: commands.map(({ name, about }) => ({ name, about })) });
    if (id !== undefined) {
      const log = (await store.openReader(id))!;
      const transcript = await readTranscript(log, SHOWN_ENTRIES);
      emit({ kind: "printed", items: earlierItems(transcript) });
      if (isCutShort(transcript)) say("The last turn was interrupted. To continue it: /continue", { color: "warning" });
    }
    for (const problem of problemsOf(agent)) say(problem, { color: "warning" });
    await agent.emitWaiting();
    hearMail(agent).catch(showError);
    await refresh();
  }
  async function closeSession(): Promise<void> {
    await turns.settle();
    await agent.close();
  }

  /** A report of an agent starts a turn if none is running. */
  async function awaitAgents(of: Agent): Promise<void> {
    const found = await of.agents.idle();
    if (of !== agent || turns.state !== "idle") return;
    if (found === "waiting") turns.start();
    else await refresh();
  }

  async function runOwn(command: string): Promise<void> {
    const { environment } = terminal;
    emit({ kind: "printed", items: [{ kind: "you", text: cleanText(`! ${command}`) }] });
    const { output, ended } = await turns.during(`Running ${command}`, (signal) =>
      runShell({ command, folder, environment, shell: findShell(environment["PATH"], [folder]), signal }),
    );
    print([
      ...(output === "" ? [] : plainLines(cleanText(output.trimEnd()), { color: "quiet" })),
      ...(ended === "exit code 0" ? [] : plainLines(`(${ended})`, { color: "warning" })),
    ]);
    await agent.session.append(commandOutput(`$ ${command}\n${output}(${ended})`));
    await refresh();
  }

  async function openTranscript(said?: string): Promise<void> {
    const log = (await store.openReader(agent.session.id))!;
    const entries = await showChanges(await readTranscript(log));
    emit({ kind: "transcript-read", entries, ...(said === undefined ? {} : { said }) });
    await options.show("transcript");
  }

  const context = (words: string): ScreenContext => ({
    words,
    agent,
    session: agent.session,
    project,
    provider,
    terminal,
    commands,
    columns: options.screen().state().columns,
    print,
    say,
    ask,
    during: turns.during,
    openTranscript,
    prompt: (text) => emit({ kind: "prompted", text }),
    submit: sayToModel,
    async runCommand(what, name, args) {
      const { run } = await loadCommand(name);
      const { columns } = options.screen().state();
      await turns.during(what, (signal, progress) =>
        run(args, asTerminal({ terminal, say, columns }, signal, progress), agent.session),
      );
    },
    async reopen(id) {
      const model = agent.model();
      await closeSession();
      emit({ kind: "cleared" });
      await openSession(model, id, "clear");
    },
    continueTurn: () => turns.start(),
    leave: left.resolve,
  });

  async function runCommand(text: string): Promise<void> {
    print([plain(`> ${cleanText(text).replaceAll("\n", " ")}`, { color: "you" })]);
    const found = findCommand(text, commands);
    if (found.kind === "unknown") return say(found.hint, { color: "warning" });
    const { name, when = "idle" } = found.command;
    if (when === "idle" && turns.state === "busy") {
      return say(`/${name} cannot run while the model is working. Press Esc to stop the model first.`, {
        color: "warning",
      });
    }
    await found.command.open(context(found.words));
    await refresh();
  }

  async function submit(text: string): Promise<void> {
    await history.add(text).catch(showError);
    if (text.startsWith("/")) return runCommand(text);
    if (text.startsWith("!") && text.length > 1) {
      if (turns.state === "idle") return runOwn(text.slice(1).trim());
      return say("A shell command cannot run now: the agent is busy. Press Esc to stop it first.", {
        color: "warning",
      });
    }
    await sayToModel(text);
  }

  async function sayToModel(text: string): Promise<void> {
    const { content, problems } = await attachImages(text, folder);
    for (const problem of problems) say(problem, { color: "warning" });
    if (turns.state === "idle") return begin({ text, content });
    turns.queue({ text, content });
  }

  /** Sends a message. After a long pause, asks first, since the request is expensive then. */
  async function begin(said: Saying): Promise<void> {
    const { nextRequest } = await agent.session.ledger.cost();
    const offer = resumeOffer(nextRequest, terminal.clock.now());
    const answer = offer && (await ask(offer));
    if (answer?.kind === "left") return emit({ kind: "prompted", text: said.text });
    if (answer?.kind === "chosen" && answer.values[0] === "compact") await runCommand("/compact");
    turns.start(said);
  }

  async function undo(boundary: number): Promise<void> {
    const before = agent.session.view.size().tokens;
    await agent.session.history.restore(boundary, "undone in the transcript");
    const after = agent.session.view.size().tokens;
    await openTranscript(
      `Compaction undone: ${before.toLocaleString("en-US")} -> ${after.toLocaleString("en-US")} tokens.`,
    );
    await refresh();
  }

  async function perform(effect: Effect): Promise<void> {
    switch (effect.kind) {
      case "submit":
        return submit(effect.text);
      case "stop":
        return turns.stop();
      case "answer":
        return dialogs.answer(effect.id, effect.answer);
      case "open-transcript":
        return openTranscript();
      case "close-transcript":
        return options.show("conversation");
      case "undo":
        return undo(effect.boundary);
      case "find-files":
        return emit({ kind: "files-found", files: await findFiles(folder) });
      case "next-mode": {
        agent.setMode(OFFERED_MODES[(OFFERED_MODES.indexOf(agent.mode()) + 1) % OFFERED_MODES.length]!);
        return refresh();
      }
      case "redraw":
        return options.redraw();
      case "leave":
        return left.resolve();
    }
  }

  return {
    start: (id) => openSession(options.model, id),
    act: (effect) => void perform(effect).catch(showError),
    left: left.promise,
    close: closeSession,
  };
}
