import { isDeepStrictEqual } from "node:util";
import {
  type AgentContext,
  type ClientCapabilities,
  type ContentBlock,
  methods,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { Provider, QueryEvent } from "palimpsest";
import type { Agent, AgentOptions } from "../agent/agent.ts";
import { hearMail } from "../agent/start-turn.ts";
import type { Connection } from "../commands/connect-chosen.ts";
import type { Project } from "../commands/open-project.ts";
import { relayEvents } from "../commands/stream/report-turn.ts";
import type { Terminal } from "../commands/terminal.ts";
import { problemsOf } from "../commands/text/notice-text.ts";
import { chooseProfile } from "../terminal/choose-profile.ts";
import { EFFORT_CHOICES } from "../terminal/commands/model.ts";
import { type CurrentFile, readCurrentFile } from "../terminal/read-current-file.ts";
import { readStatus } from "../terminal/read-status.ts";
import { isCutShort } from "../terminal/start-items.ts";
import { oneLine } from "../text/table.ts";
import { readTranscript } from "../workspace/read-transcript.ts";
import { editorCommands } from "./editor-commands.ts";
import { editorPerson } from "./editor-person.ts";
import { createEditorTurns } from "./editor-turns.ts";
import { readPrompt } from "./read-prompt.ts";
import { replaySession } from "./replay-session.ts";
import { choicesOf, modesOf, type SessionChoices } from "./session-options.ts";
import { createUpdates } from "./session-updates.ts";

interface EditorSessionOptions {
  readonly client: AgentContext;
  readonly capabilities: ClientCapabilities;
  /** Aborted when the editor disconnects. */
  readonly gone: AbortSignal;
  readonly terminal: Terminal;
  readonly project: Project;
  readonly provider: Provider;
  readonly listModels: Connection["listModels"];
  /** Models that the user can choose, in addition to the session's model. */
  readonly models: readonly string[];
  readonly sessionId: string;
  readonly begins: "new" | "resumed";
  /** The editor's folders, in addition to the project. */
  readonly folders: readonly string[];
  open(ports: Required<Pick<AgentOptions, "person" | "onEvent">>): Promise<Agent>;
}

/** One session in the editor. */
export interface EditorSession {
  choices(): SessionChoices;
  /** Sends the conversation so far. */
  replay(): Promise<void>;
  /** Sends the content around the conversation: commands, the size of the context, problems. */
  greet(): Promise<void>;
  /** Runs a turn or a slash command. @param signal the signal of the request */
  prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse>;
  cancel(): void;
  setMode(mode: string): Promise<void>;
  setModel(model: string): Promise<void>;
  setEffort(effort: string): Promise<void>;
  /** Stops all running work, and closes the session. */
  close(): Promise<void>;
}

/** How many entries to read, to detect an interrupted last turn. */
const SHOWN_ENTRIES = 200;
const TITLE_CHARACTERS = 60;

/** Opens a session for the editor: the agent, its person, its turns and its updates. */
export async function openEditorSession(options: EditorSessionOptions): Promise<EditorSession> {
  const { client, capabilities, gone, terminal, project, provider, sessionId, folders } = options;
  const { folder, places, store } = project;
  const left = new Promise<void>((resolve) => gone.addEventListener("abort", () => resolve()));
  const deliver = async (update: SessionUpdate): Promise<void> => {
    // Does not wait for an editor that disconnected.
    await Promise.race([client.notify(methods.client.session.update, { sessionId, update }), left]).catch(
      () => undefined,
    );
  };
  /** Updates that wait until the editor knows the session. */
  let waitingUpdates: SessionUpdate[] | undefined = [];
  const send = async (update: SessionUpdate): Promise<void> => {
    if (waitingUpdates === undefined) await deliver(update);
    else waitingUpdates.push(update);
  };
  const updates = createUpdates({ send, capabilities, folder, log: (text) => terminal.say(text, "faint") });
  const relay = relayEvents(updates);

  const readFile = (path: string): Promise<CurrentFile> =>
    readCurrentFile(path, [folder, ...folders, ...agent.settings.settings.folders]);
  const person = editorPerson({
    client,
    capabilities,
    sessionId,
    folder,
    readFile,
    announce: updates.announce,
    send: (update) => void send(update),
    stop: () => turns.cancel(),
    async chooseProfile(signal) {
      const current = agent.session.settings().settings.profile;
      const say = (text: string): void => void updates.message(`${text}\n\n`);
      await chooseProfile({ file: places.engineSettings, current, ask: person.ask, say }, signal);
    },
    onOutput: updates.output,
    onHook: () => {},
    onNotice: (text, weight = "news") => updates.notice({ text, weight }),
    onBackground: async () => {},
  });
  const agent = await options.open({ person, onEvent: relay.onEvent });

  const chosen = () => ({ mode: agent.mode(), model: agent.model(), effort: agent.effort() });
  let shown = chosen();
  const choices = (): SessionChoices => {
    const { effort = "none" } = options.provider.factsOf(agent.model());
    return choicesOf(agent, { models: options.models, effort: effort === "none" ? "none" : "taken" });
  };
  /** Sends the choices again, because the agent, a command or the editor may have changed them. */
  async function showChoices(): Promise<void> {
    const now = chosen();
    if (isDeepStrictEqual(now, shown)) return;
    shown = now;
    await send({ sessionUpdate: "current_mode_update", currentModeId: now.mode });
    await send({ sessionUpdate: "config_option_update", configOptions: choices().configOptions });
  }
  let shownUsage = "";
  async function showUsage(): Promise<void> {
    const { tokens, mode: _, model: __, ...status } = await readStatus(agent);
    const { windowTokens } = agent.session.view.size();
    const { priceUsd, unpricedResponses } = agent.session.ledger.totals();
    const usage: SessionUpdate = {
      sessionUpdate: "usage_update",
      used: tokens,
      size: windowTokens,
      ...(unpricedResponses === 0 ? { cost: { amount: priceUsd, currency: "USD" } } : {}),
      _meta: { palimpsest: status },
    };
    const text = JSON.stringify(usage);
    if (text === shownUsage) return;
    shownUsage = text;
    await send(usage);
  }
  async function afterEvent({ kind }: QueryEvent): Promise<void> {
    if (kind !== "response" && kind !== "tool-ended") return;
    await showChoices();
    await showUsage();
  }

  const turns = createEditorTurns({
    agent,
    relay,
    clock: terminal.clock,
    readFile,
    onResult: updates.result,
    onWait: (text) => void updates.notice({ text, weight: "news" }),
    afterEvent,
  });
  const commands = editorCommands({
    agent,
    project,
    provider,
    listModels: options.listModels,
    terminal,
    ask: person.ask,
    during: turns.during,
    message: updates.message,
    state: turns.state,
    submit: (text) => turns.say({ words: text, content: [text] }),
    continueTurn: turns.continueTurn,
  });

  let title: "wanted" | "told" = options.begins === "new" ? "wanted" : "told";
  async function name(words: string): Promise<void> {
    if (title === "told" || words.trim() === "") return;
    title = "told";
    await send({ sessionUpdate: "session_info_update", title: oneLine(words, TITLE_CHARACTERS) });
  }

  return {
    choices,
    async replay() {
      const log = (await store.openReader(sessionId))!;
      for (const update of await replaySession(log, folder)) await deliver(update);
    },
    async greet() {
      const waiting = waitingUpdates ?? [];
      waitingUpdates = undefined;
      for (const update of waiting) await deliver(update);
      await send({ sessionUpdate: "available_commands_update", availableCommands: commands.available });
      await showUsage();
      for (const text of problemsOf(agent)) await updates.notice({ text, weight: "problem" });
      if (options.begins === "resumed") {
        const log = (await store.openReader(sessionId))!;
        const text = "The last turn was interrupted. To continue it: /continue";
        if (isCutShort(await readTranscript(log, SHOWN_ENTRIES))) await updates.notice({ text, weight: "problem" });
      }
      await agent.emitWaiting();
      await hearMail(agent);
    },
    async prompt(blocks, signal) {
      const { words, content, problems } = readPrompt(blocks, folder);
      for (const text of problems) await updates.notice({ text, weight: "problem" });
      if (words.trim() === "" && content.length === 1 && typeof content[0] === "string")
        throw RequestError.invalidParams({}, "the prompt is empty");
      signal.addEventListener("abort", turns.cancel, { once: true });
      try {
        const running = commands.run(words);
        if (running !== undefined) return await running;
        await name(words);
        return await turns.say({ words, content });
      } finally {
        signal.removeEventListener("abort", turns.cancel);
        // The session may have been closed during the switch.
        await showChoices()
          .then(showUsage)
          .catch(() => undefined);
      }
    },
    cancel: turns.cancel,
    async setMode(wanted) {
      const mode = modesOf(agent.mode()).find((one) => one === wanted);
      if (mode === undefined) throw RequestError.invalidParams({ mode: wanted }, `there is no mode ${wanted}`);
      agent.setMode(mode);
      await showChoices();
    },
    async setModel(wanted) {
      if (turns.state() === "busy")
        throw RequestError.invalidRequest({ model: wanted }, "the model works. Switch it when the turn is over");
      await agent.setModel(wanted);
      await showChoices();
    },
    async setEffort(wanted) {
      if (turns.state() === "busy")
        throw RequestError.invalidRequest(
          { effort: wanted },
          "the model works. Change the effort when the turn is over",
        );
      const effort = EFFORT_CHOICES.find((one) => one === wanted);
      const problem = effort === undefined ? `there is no effort ${wanted}` : await agent.setEffort(effort);
      if (problem !== undefined) throw RequestError.invalidParams({ effort: wanted }, problem);
      await showChoices();
    },
    async close() {
      await turns.settle();
      await agent.close();
    },
  };
}
