import type { Provider, Session, SessionEvent, Store } from "palimpsest";
import { eachSession } from "palimpsest/inspect";
import type { Agent, AgentOptions, EventOwner } from "../agent/agent.ts";
import type { Project } from "../commands/open-project.ts";
import type { Terminal } from "../commands/terminal.ts";
import { problemsOf } from "../commands/text/notice-text.ts";
import type { Person } from "../extension/person.ts";
import { priceText } from "../text/price-text.ts";
import { shortIds } from "../text/short-ids.ts";
import { readTranscript } from "../workspace/read-transcript.ts";
import { withTitles } from "../workspace/session-title.ts";
import { findSession, listSessions, modelOf } from "../workspace/stored-sessions.ts";
import { askPerson } from "./ask-person.ts";
import { chooseProfile } from "./choose-profile.ts";
import { sessionsDialog } from "./commands/resume.ts";
import { slashCommands } from "./commands/slash-commands.ts";
import { createInspection } from "./create-inspection.ts";
import { createPrinter, type Printer } from "./create-printer.ts";
import { createDialogs, type Dialogs } from "./dialogs/create-dialogs.ts";
import { runCommand } from "./handlers/command.ts";
import { answer } from "./handlers/dialog.ts";
import { editPrompt, listFiles } from "./handlers/files.ts";
import type { DrawingPorts, HandlerPorts, Running } from "./handlers/handler-ports.ts";
import { hearMail, readStatus, selectNextEffort, selectNextMode, showBoundary } from "./handlers/session.ts";
import { closeTranscript, openTranscript, undoCompaction } from "./handlers/transcript.ts";
import {
  awaitAgents,
  beginTurn,
  enqueue,
  keepWarm,
  moveQueued,
  showTourStep,
  startTurn,
  stop,
  submit,
  withdraw,
} from "./handlers/turn.ts";
import type { PromptFile } from "./prompt/prompt-history.ts";
import { readCurrentFile } from "./read-current-file.ts";
import { refreshStatus } from "./read-status.ts";
import type { Screen } from "./screen.ts";
import type { Effect, ScreenEvent } from "./screen-event.ts";
import { earlierItems, isCutShort } from "./start-items.ts";
import { createTour, type TourStep } from "./tour.ts";
import { isIdle } from "./update-work.ts";
import { createWaitingInputs } from "./waiting-inputs.ts";
import { createWork } from "./work.ts";

export interface AppOptions {
  readonly project: Project;
  readonly terminal: Terminal;
  readonly provider: Provider;
  readonly model: string;
  /** Opens the agent. @param id the session to resume. @default a new session */
  readonly open: (ports: ScreenPorts, model: string, id?: string) => Promise<Agent>;
  /** Asks the provider for the ids of its models. */
  readonly listModels: (signal: AbortSignal) => Promise<readonly string[]>;
  readonly start: SessionStart;
  /** Leads the person through steps. */
  readonly tour: readonly TourStep[];
  readonly history: PromptFile;
  readonly screen: Screen;
  readonly drawing: DrawingPorts;
}

/** The functions that the agent calls on the screen. */
export type ScreenPorts = Required<Pick<AgentOptions, "person" | "onEvent" | "startedBy">>;

/** A new session, one to resume by its id, or one that the person chooses. */
export type SessionStart = "new" | "choose" | { readonly id: string };

/** The agent on the screen: an event changes the state, and its effects are carried out. No other part of the terminal changes the session. */
export class App {
  /** Resolves when the user exits. */
  readonly left: Promise<void>;
  readonly #options: AppOptions;
  readonly #ports: HandlerPorts;
  /** Replaced as one value: it is never half there. */
  #running: Running;

  private constructor(options: AppOptions, shared: SharedPorts, running: Running) {
    const { project, terminal, provider, listModels, screen, drawing, history, tour } = options;
    const { emit, state } = screen;
    const { printer, dialogs, leaving } = shared;
    this.left = leaving.promise;
    this.#options = options;
    this.#running = running;
    this.#ports = {
      ...printer,
      emit,
      state,
      project,
      terminal,
      provider,
      listModels,
      drawing,
      dialogs,
      history,
      waiting: createWaitingInputs({
        onChange: (queued) => emit({ kind: "queue", queued }),
        onTaken: (said) => emit({ kind: "taken", said }),
      }),
      work: createWork({ clock: terminal.clock, emit }),
      tour: createTour(tour, {
        say: (text) => printer.say(text, { color: "you" }),
        prompt: (text) => emit({ kind: "prompted", text }),
      }),
      inspection: createInspection({
        project,
        terminal,
        session: () => this.#running.session,
        isIdle: () => isIdle(state()),
        refresh: async () => emit({ kind: "changed" }),
      }),
      running: () => this.#running,
      reopen: (id) => this.#reopen(id),
      leave: leaving.resolve,
    };
  }

  /** Opens the session first, so there is no app without an agent. The questions before it can be answered already. */
  static async open(options: AppOptions): Promise<App> {
    const { screen, model, start } = options;
    const shared: SharedPorts = {
      printer: createPrinter(screen.emit),
      dialogs: createDialogs(screen.emit),
      leaving: Promise.withResolvers(),
    };
    const waiting: Effect[] = [];
    screen.perform((effect) => {
      if (effect.kind === "answer") shared.dialogs.answer(effect.id, effect.answer);
      else if (effect.kind === "leave") shared.leaving.resolve();
      else waiting.push(effect);
    });
    const first =
      start === "choose"
        ? await chooseSession(options, shared.dialogs)
        : start === "new"
          ? { model }
          : { model, id: start.id };
    const running = await openRunning(options, shared, { ...first, startedBy: "startup" });
    const app = new App(options, shared, running);
    const act = (effect: Effect): void => void app.#perform(effect).catch(shared.printer.showError);
    screen.perform(act);
    for (const effect of waiting) act(effect);
    await app.#greet(first.id);
    app.dispatch({ kind: "session-opened", by: "start" });
    return app;
  }

  /** Changes the state of the screen, draws it, and carries out the effects. */
  dispatch(event: ScreenEvent): void {
    this.#options.screen.emit(event);
  }

  /** Closes the session. Resolves to what is printed at the end. */
  async close(): Promise<string | undefined> {
    await this.#settle();
    const { agent, session } = this.#running;
    const text = await partingText(session, this.#options.project.store);
    await this.#ports.inspection.close();
    await agent.close();
    return text;
  }

  async #settle(): Promise<void> {
    this.dispatch({ kind: "session-closing" });
    await this.#ports.work.settle();
  }

  async #reopen(id: string | undefined): Promise<void> {
    const { project, provider } = this.#options;
    const { agent } = this.#running;
    const model =
      id === undefined ? agent.model() : modelOf(await findSession(project.store, id), provider, agent.model());
    await this.#settle();
    await agent.close();
    this.dispatch({ kind: "cleared" });
    const shared = { printer: this.#ports, dialogs: this.#ports.dialogs };
    this.#running = await openRunning(this.#options, shared, {
      model,
      startedBy: "clear",
      id,
    });
    await this.#greet(id);
    this.dispatch({ kind: "session-opened", by: "command" });
  }

  /** Shows what the user should know about the opened session. @param id of a resumed session */
  async #greet(id: string | undefined): Promise<void> {
    const { agent, commands } = this.#running;
    const { emit, say, project } = this.#ports;
    emit({ kind: "commands", commands: commands.map(({ name, about }) => ({ name, about })) });
    if (id !== undefined) {
      const transcript = await readTranscript((await project.store.openReader(id))!, SHOWN_ENTRIES);
      emit({ kind: "printed", items: earlierItems(transcript) });
      if (isCutShort(transcript)) say("The last turn was interrupted. To continue it: /continue", { color: "warning" });
    }
    for (const problem of problemsOf(agent)) say(problem, { color: "warning" });
    await agent.emitWaiting();
    await refreshStatus(agent, emit);
  }

  async #perform(effect: Effect): Promise<void> {
    const [running, ports] = [this.#running, this.#ports];
    switch (effect.kind) {
      case "submit":
        return submit(running, effect, ports);
      case "begin-turn":
        return beginTurn(running, effect, ports);
      case "start-turn":
        return startTurn(running, effect, ports);
      case "stop":
        return stop(running, effect, ports);
      case "enqueue":
        return enqueue(running, effect, ports);
      case "withdraw":
        return withdraw(running, effect, ports);
      case "move-queued":
        return moveQueued(running, effect, ports);
      case "await-agents":
        return awaitAgents(running, effect, ports);
      case "keep-warm":
        return keepWarm(running);
      case "tour-next":
        return showTourStep(running, effect, ports);
      case "run-command":
        return runCommand(running, effect, ports);
      case "background":
        return runCommand(running, { kind: "run-command", text: "/background" }, ports);
      case "answer":
        return answer(running, effect, ports);
      case "read-status":
        return readStatus(running, effect, ports);
      case "hear-mail":
        return hearMail(running, effect, ports);
      case "show-boundary":
        return showBoundary(running, effect, ports);
      case "next-mode":
        return selectNextMode(running, effect, ports);
      case "next-effort":
        return selectNextEffort(running, effect, ports);
      case "open-transcript":
        return openTranscript(running, effect, ports);
      case "close-transcript":
        return closeTranscript(running, effect, ports);
      case "undo":
        return undoCompaction(running, effect, ports);
      case "find-files":
        return listFiles(running, effect, ports);
      case "edit-outside":
        return editPrompt(running, effect, ports);
      case "pause":
        return pause(ports);
      case "redraw":
        return ports.drawing.redraw();
      case "leave":
        return ports.leave();
    }
  }
}

/** How much of a resumed session is read: enough for its last messages. */
const SHOWN_ENTRIES = 200;

/** The parts that exist before a session is open. */
interface SharedPorts {
  readonly printer: Printer;
  readonly dialogs: Dialogs;
  readonly leaving: PromiseWithResolvers<void>;
}

interface OpenedFrom {
  readonly model: string;
  /** @default a new session */
  readonly id?: string;
}

/** Lets the person choose a session to resume. A new one, if there is none or the person leaves the question. */
async function chooseSession({ project, provider, model }: AppOptions, { ask }: Dialogs): Promise<OpenedFrom> {
  const sessions = await withTitles(await listSessions(project.store), project.places);
  const given = sessions.length === 0 ? undefined : await ask(sessionsDialog(sessions));
  const chosen = sessions.find(({ id }) => given?.kind === "chosen" && given.values[0] === id);
  return chosen === undefined ? { model } : { model: modelOf(chosen, provider, model), id: chosen.id };
}

async function openRunning(
  { open, screen: { emit }, project }: AppOptions,
  shared: Pick<SharedPorts, "printer" | "dialogs">,
  { model, id, startedBy }: OpenedFrom & Pick<ScreenPorts, "startedBy">,
): Promise<Running> {
  const opening = Promise.withResolvers<Agent>();
  const person = personOf({ ...shared, emit, project, agent: opening.promise });
  const onEvent = (event: SessionEvent, owner?: EventOwner): void => emit({ kind: "session", event, owner });
  const agent = await open({ person, onEvent, startedBy }, model, id);
  opening.resolve(agent);
  return { agent, session: agent.session, commands: slashCommands(agent.commands) };
}

interface PersonParts extends Pick<SharedPorts, "printer" | "dialogs">, Pick<Screen, "emit"> {
  readonly project: Pick<Project, "folder" | "places">;
  readonly agent: Promise<Agent>;
}

/** The person at the screen, as the agent asks and informs them. */
function personOf({ printer, dialogs: { ask }, emit, project, agent }: PersonParts): Person {
  const { say, notice } = printer;
  const { folder, places } = project;
  return askPerson({
    ask,
    async chooseProfile(signal) {
      const current = (await agent).session.settings().settings.profile;
      await chooseProfile({ file: places.engineSettings, current, ask, say }, signal);
    },
    stop: () => emit({ kind: "stop-requested" }),
    readFile: async (path) => readCurrentFile(path, [folder, ...(await agent).settings.settings.folders]),
    folder,
    onOutput: (callId, text) => emit({ kind: "tool-output", callId, text }),
    onHook: (name, state) => emit({ kind: "hook", name, state }),
    async onNotice(text, weight) {
      notice(text, { color: weight === "problem" ? "warning" : "quiet" });
      emit({ kind: "changed" });
    },
    onBackground: async () => emit({ kind: "changed" }),
  });
}

/** Stops the program until the shell continues it. */
async function pause({ terminal, drawing, say }: HandlerPorts): Promise<void> {
  if (terminal.pause === undefined) return say("This system cannot suspend programs.", { color: "warning" });
  return drawing.suspend(terminal.pause);
}

/** What the program prints when it exits: the cost and how to resume. Nothing for a session that no model has answered. */
async function partingText({ id, ledger }: Pick<Session, "id" | "ledger">, store: Store): Promise<string | undefined> {
  const spent = ledger.totals();
  if (spent.responses === 0) return undefined;
  const ids: string[] = [];
  for await (const stored of eachSession(store)) ids.push(stored.id);
  return `This session cost ${priceText(spent)}. To resume it: palimpsest --resume ${shortIds(ids)(id)}`;
}
