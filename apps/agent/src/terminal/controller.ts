import { join } from "node:path";
import type { SessionEvent } from "palimpsest";
import type { Agent, EventOwner } from "../agent/agent.ts";
import { hearMail } from "../agent/start-turn.ts";
import { loadCommand } from "../commands/load-command.ts";
import { problemsOf } from "../commands/text/notice-text.ts";
import { plain } from "../text/line.ts";
import { cleanText } from "../text/visible-text.ts";
import { readTranscript } from "../workspace/read-transcript.ts";
import { withTitles } from "../workspace/session-title.ts";
import { findSession, listSessions, modelOf } from "../workspace/stored-sessions.ts";
import { askPerson } from "./ask-person.ts";
import { boundaryLine } from "./boundary-line.ts";
import { chooseProfile } from "./choose-profile.ts";
import { sessionsDialog } from "./commands/resume.ts";
import { asTerminal, type ScreenContext } from "./commands/screen-command.ts";
import { findCommand, runsAlways, slashCommands } from "./commands/slash-commands.ts";
import type { Controller, ControllerOptions, ScreenPorts } from "./controller-options.ts";
import { createInspection } from "./create-inspection.ts";
import { createPrinter } from "./create-printer.ts";
import { createDialogs } from "./dialogs/create-dialogs.ts";
import { partingText } from "./parting-text.ts";
import { createPerform } from "./perform-effect.ts";
import { attachFiles } from "./prompt/attach-files.ts";
import { promptFile } from "./prompt/prompt-history.ts";
import { type CurrentFile, readCurrentFile } from "./read-current-file.ts";
import { readStatus } from "./read-status.ts";
import { resumeOffer } from "./resume-offer.ts";
import { runOwn } from "./run-own.ts";
import type { Screen } from "./screen.ts";
import { earlierItems, isCutShort } from "./start-items.ts";
import { createTour } from "./tour.ts";
import { createTranscript } from "./transcript/create-transcript.ts";
import { createTurns, type Saying } from "./turns.ts";

/** How much of a resumed session is read: enough for its last messages. */
const SHOWN_ENTRIES = 200;

export function createController(options: ControllerOptions): Controller {
  const { project, terminal, provider } = options;
  const { folder, places, store } = project;
  const emit: Screen["emit"] = (event) => options.screen().emit(event);
  const { print, say, notice, showError } = createPrinter(emit);
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
    stop,
    readFile,
    folder,
    onOutput: (callId, text) => emit({ kind: "tool-output", callId, text }),
    onHook: (name, state) => emit({ kind: "hook", name, state }),
    async onNotice(text, weight) {
      notice(text, { color: weight === "problem" ? "warning" : "quiet" });
      await refresh();
    },
    onBackground: refresh,
  });

  function onEvent(event: SessionEvent, owner?: EventOwner): void {
    emit({ kind: "session", event, ...(owner === undefined ? {} : { owner }) });
    if (owner === undefined && event.kind === "compaction-ended" && event.outcome.kind === "compacted")
      void showBoundary();
    // A message of the user can wake a teammate between two turns: its report is awaited, too.
    if (owner === undefined && event.kind === "agent-changed" && event.status === "running" && turns.state === "idle")
      void refresh()
        .then(() => awaitAgents(agent))
        .catch(showError);
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
    onIdle() {
      void awaitAgents(agent).catch(showError);
      tour.next();
    },
  });

  /** What waits was meant for the work that is stopped: it comes back, to be sent or not. */
  function stop(): void {
    const waited = turns.waiting.withdrawAll().join("\n\n");
    turns.stop();
    if (waited !== "") emit({ kind: "prompted", text: waited, place: "above" });
  }

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
    const opened = agent;
    // A turn that runs reads the mail itself.
    hearMail(opened, () => opened === agent && turns.state === "idle" && turns.start()).catch(showError);
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

  const tour = createTour(options.tour ?? [], {
    say: (text) => say(text, { color: "you" }),
    prompt: (text) => emit({ kind: "prompted", text }),
  });
  const transcript = createTranscript({ session: () => agent.session, store, emit, show: options.show });

  const inspection = createInspection({
    project,
    terminal,
    session: () => agent.session,
    isIdle: () => turns.state === "idle",
    refresh,
  });

  const context = (words: string): ScreenContext => ({
    words,
    agent,
    session: agent.session,
    project,
    provider,
    terminal,
    commands,
    listModels: options.listModels,
    columns: options.screen().state().columns,
    print,
    say,
    ask,
    during: turns.during,
    openTranscript: transcript.open,
    inspect: inspection.address,
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
      const model = id === undefined ? agent.model() : modelOf(await findSession(store, id), provider, agent.model());
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
    await found.command.open(context(found.words));
    await refresh();
    if (turns.state === "idle") tour.next();
  }

  async function submit(text: string): Promise<void> {
    await history.add(text).catch(showError);
    if (text.startsWith("/")) return whenFree(text, () => runCommand(text));
    if (text.startsWith("!") && text.length > 1) return whenFree(text, () => runMine(text.slice(1).trim()));
    await sayToModel(text);
  }

  async function runMine(command: string): Promise<void> {
    await runOwn(command, { agent, terminal, folder, emit, print, during: turns.during });
    await refresh();
  }

  /** Runs a command now, or after the turn if it cannot run beside one. */
  async function whenFree(text: string, run: () => Promise<void>): Promise<void> {
    if (turns.state === "idle" || runsAlways(text, commands)) return turns.command(run);
    turns.waiting.add({ text, run });
  }

  async function sayToModel(text: string): Promise<void> {
    const { content, problems } = await attachFiles(text, folder);
    for (const problem of problems) say(problem, { color: "warning" });
    if (turns.state === "idle") return begin({ text, content });
    turns.waiting.add({ text, content });
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

  const perform = createPerform({
    agent: () => agent,
    project,
    terminal,
    turns,
    dialogs,
    transcript,
    emit,
    say,
    refresh,
    stop,
    submit,
    runCommand,
    show: options.show,
    redraw: options.redraw,
    suspend: options.suspend,
    leave: left.resolve,
  });

  return {
    async start(start) {
      if (start !== "choose") {
        await openSession(options.model, start === "new" ? undefined : start.id);
        return tour.next();
      }
      const sessions = await withTitles(await listSessions(store), places);
      const answer = sessions.length === 0 ? undefined : await ask(sessionsDialog(sessions));
      const chosen = sessions.find(({ id }) => answer?.kind === "chosen" && answer.values[0] === id);
      await openSession(chosen === undefined ? options.model : modelOf(chosen, provider, options.model), chosen?.id);
    },
    act: (effect) => void perform(effect).catch(showError),
    left: left.promise,
    async close() {
      await turns.settle();
      const text = await partingText(agent.session, store);
      await inspection.close();
      await agent.close();
      return text;
    },
  };
}
