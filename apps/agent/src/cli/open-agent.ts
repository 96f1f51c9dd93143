import type { Agents } from "@palimpsest/agents";
import type { Memory } from "@palimpsest/memory";
import type { Clock, Provider, Settings, Store, Surroundings, Tool } from "palimpsest";
import type { Hooks } from "palimpsest/hooks";
import { nameOwners, type OwnedListener, tellAll } from "../agent/event-owner.ts";
import { offeredTools, toolChanges } from "../agent/offered-tools.ts";
import { systemPrompt } from "../agent/system-prompt.ts";
import { createTools, type Tools } from "../create-tools.ts";
import type { Person } from "../extension/person.ts";
import { readWork } from "../extension/read-work.ts";
import { createSessionHead } from "../extension/session-head.ts";
import { type AgentSession, takeSession } from "../extension/take-session.ts";
import { toTool } from "../extension/to-tool.ts";
import { createAgentNotes } from "../extensions/agents/agent-notes.ts";
import { controlPath, takeOrders } from "../extensions/agents/control-socket.ts";
import { definitionProblems, loadDefinitions } from "../extensions/agents/load-definitions.ts";
import { AGENT_TOOLS, openAgents, toDefinition } from "../extensions/agents/open-agents.ts";
import { createPhrases } from "../extensions/agents/phrases.ts";
import { loadFile } from "../extensions/files/file-states.ts";
import { allowStoredResults, alsoOpenFile, openStoredResults } from "../extensions/files/stored-results.ts";
import { commandHooks } from "../extensions/hooks/command-hooks.ts";
import { followInstructions } from "../extensions/instructions/follow-instructions.ts";
import { openInstructions } from "../extensions/instructions/open-instructions.ts";
import { openMail, type SessionMail } from "../extensions/mail/open-mail.ts";
import { openServers } from "../extensions/mcp/open-servers.ts";
import { serverSection } from "../extensions/mcp/server-section.ts";
import { openAgentMemory } from "../extensions/memory/agent-memory.ts";
import { openPlanFile, type PlanFile } from "../extensions/plan/plan-file.ts";
import type { PlanPorts } from "../extensions/plan/plan-mode.ts";
import { collectOldResults } from "../extensions/recall/collect-old-results.ts";
import { situationSection } from "../extensions/situation/situation-section.ts";
import { WEB_FETCH } from "../extensions/web/web-fetch.ts";
import type { Operations } from "../operations/open-operations.ts";
import { attendedPermission } from "../permissions/attended-permission.ts";
import { decidePermission, type PermissionMode } from "../permissions/decide-permission.ts";
import { type HeadlessPermission, headlessPermission } from "../permissions/headless-permission.ts";
import { type LoadedSettings, loadSettings } from "../permissions/load-settings.ts";
import { toPermissionCall } from "../permissions/permission-call.ts";
import type { Rule } from "../permissions/rule.ts";
import { engineSettings } from "../workspace/engine-settings.ts";
import { createPathGuard, type PathGuard } from "../workspace/path-guard.ts";
import type { Places } from "../workspace/places.ts";
import { makePrivateFolder } from "../workspace/private-files.ts";
import type { Terminal } from "./terminal.ts";

export interface AgentOptions {
  readonly places: Places;
  /** The project's, links followed. */
  readonly folder: string;
  readonly environment: Terminal["environment"];
  readonly store: Store;
  readonly provider: Provider;
  readonly model: string;
  /** The session to go on with. @default a new one */
  readonly id?: string;
  /** What hooks at the start are told of a new session. @default "startup" */
  readonly startedBy?: "startup" | "clear";
  /** @default that of the settings */
  readonly mode?: PermissionMode;
  /** What other sessions of the project call it. @default what they called it before */
  readonly name?: string;
  /** Beside those of the settings. */
  readonly rules: readonly Rule[];
  /** @default that of the settings */
  readonly web?: "on" | "off";
  readonly modelFacts: "table" | "if-unknown" | "asked";
  /** @default nobody is here: what would have to be asked is denied */
  readonly person?: Person;
  /** Is told what happens in the session and its agents, from the opening on. @default nobody is told */
  readonly onEvent?: OwnedListener;
  /** Engine settings of the command line. @default none */
  readonly engine?: Partial<Settings>;
  /** What the operator has set up. @default nothing */
  readonly operations?: Pick<Operations, "onEvent" | "flags" | "problems">;
  /** @default the system's clock */
  readonly clock?: Clock;
}

/** A session with its tools and what they may do. */
export interface Agent {
  readonly session: AgentSession;
  readonly tools: readonly Tool[];
  readonly agents: Agents;
  readonly waitForMail: SessionMail["wait"];
  readonly permission: HeadlessPermission;
  readonly settings: LoadedSettings;
  readonly sandbox: Tools["sandbox"];
  readonly mode: () => PermissionMode;
  readonly setMode: (mode: PermissionMode) => void;
  /** Takes back what tools did to files. */
  readonly rewindFiles: Tools["rewindFiles"];
  readonly background: Tools["background"];
  /** Absent if nothing is remembered. */
  readonly memory?: Memory;
  /** What the operator has set up, for other sessions that work for this one. */
  readonly operations?: AgentOptions["operations"];
  /** What could not be used, one line each. */
  readonly problems: readonly string[];
  /**
   * Tells the model what has changed around the conversation since it was last told, and what is remembered of what the user
   * is about to say.
   */
  beforeTurn(words?: string): Promise<void>;
  /** Tells who listens to the session what waits for the user, once. The first turn does, if nobody has before. */
  tellWaiting(): Promise<void>;
  /** Work in the background once a turn is done. */
  readonly afterTurn?: (session: AgentSession) => Promise<void>;
  close(): Promise<void>;
}

/** Opens the agent, with somebody to be asked or without. */
export async function openAgent(options: AgentOptions): Promise<Agent> {
  const opened: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    for (const one of opened.splice(0).toReversed()) await one.close();
  };
  try {
    return { ...(await openWith(options, (one) => void opened.push(one))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param closing is told what is open, in the order in which it was opened */
async function openWith(
  options: AgentOptions,
  closing: (one: { close(): Promise<void> }) => void,
): Promise<Omit<Agent, "close">> {
  const { places, folder, environment, store, provider, model, id, person } = options;
  const { home, agentHome } = places;
  await makePrivateFolder(places.project);
  const settings = await loadSettings({ guard: await createPathGuard(folder), agentHome });
  const guard = await createPathGuard(folder, settings.settings.folders);
  const offered = await offeredTools(store, id);
  // Once it is in the list it stays there, because a shorter list would cost the whole cache; then it is not allowed.
  const wanted = options.web ?? settings.settings.web;
  const web = offered.some(({ name }) => name === WEB_FETCH) ? "on" : wanted;
  const closed = web === wanted ? [] : [{ decision: "deny", tool: WEB_FETCH, from: "user" } as const];
  const rules: Rule[] = [...closed, ...settings.settings.rules, ...options.rules];
  let mode = options.mode ?? settings.settings.mode;
  const setMode = (wanted: PermissionMode): void => {
    mode = wanted;
  };
  const servers = await openServers(settings.settings.servers, { folder, environment, offered });
  closing(servers);
  const instructions = await openInstructions({ guard, rules, home, agentHome });
  const remembered =
    settings.settings.memory === "off"
      ? undefined
      : await openAgentMemory({ folder: places.memory, store, tell: (happening) => session.events.emit(happening) });
  if (remembered !== undefined) closing(remembered);
  const sections = [instructions, serverSection(servers.instructions), situationSection(options)];
  const head = createSessionHead([...sections, ...(remembered === undefined ? [] : [remembered.section])]);
  const surroundings: Surroundings = {
    head: head.text,
    readFile: (path) => readAllowed(path, { guard, rules, mode }),
    ...readWork(store, () => session.id),
    plan: () => planFile.plan(),
    planMode: async () => (mode === "plan" ? "A plan is being made: no file is changed before ExitPlan." : undefined),
  };
  const owners = nameOwners(options.onEvent ?? (() => {}));
  const shared = {
    onEvent: tellAll([owners.onEvent, options.operations?.onEvent]),
    attendance: person === undefined ? ("alone" as const) : ("attended" as const),
    modelFacts: options.modelFacts,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    settings: options.engine ?? {},
    settingsFrom: engineSettings(places, environment, options.operations?.flags),
  };
  const onHook = person?.onHook ?? (() => {});
  const hooksOf = (whose: "session" | "agent"): Hooks =>
    commandHooks(settings.settings.hooks, { whose, folder, onHook });
  const session: AgentSession = await takeSession({
    ...{ ...shared, store, provider, model, surroundings },
    ...(id === undefined ? {} : { id }),
    // What another agent began comes without our prompt; what we began keeps the one it has, and with it its cache.
    ...(offered.length === 0 ? { system: systemPrompt(folder) } : {}),
    ...(person === undefined ? {} : { approveCompaction: person.approveCompaction }),
    ...(options.startedBy === undefined ? {} : { startedBy: options.startedBy }),
    hooks: hooksOf("session"),
  });
  closing(session);
  owners.opened(session);
  const collecting = collectOldResults({ ...options, session });
  closing(collecting);
  const mail = await openMail({ ...options, session: session.id });
  closing(mail);
  const planFile: PlanFile = openPlanFile(places.folderOf(session.id), {
    approvePlan: person?.approvePlan ?? noApproval,
    work: readWork(store, () => session.id),
  });
  const made = await createTools({
    ...{ guard, environment, settings: { ...settings.settings, rules, web } },
    ...{ home, agentHome, sessionFolder: places.folderOf(session.id) },
    shownReads: () => session.view.filesRead(),
    recall: (request) => session.recall(request),
    openResult: alsoOpenFile(openStoredResults(store.results, [session.id]), planFile.path),
    mode: () => mode,
    setMode,
    approvePlan: planFile.approvePlan,
    ...(person === undefined ? {} : { askUser: person.askUser }),
  });
  closing(made);
  const followed = followInstructions({ session, head, instructions });
  const own = made.tools.map((tool) => (tool.name === "Read" ? followed.around(tool) : tool));
  const tools = [...own, ...(remembered === undefined ? [] : [remembered.toolFor(session.id)]), ...servers.tools];
  const runnable = tools.map((tool) => toTool(tool, session, folder, person?.onOutput));
  const known = new Map([...tools, ...AGENT_TOOLS].map((tool) => [tool.name, tool]));
  const ports = {
    tools: known,
    guard: allowStoredResults(guard, store.results, [planFile.path]),
    rules,
    mode: () => mode,
  };
  const permission =
    person === undefined ? headlessPermission(ports) : attendedPermission({ ...ports, person, agentHome });
  const kinds = await loadDefinitions({ guard, agentHome });
  const notes = remembered === undefined ? undefined : createAgentNotes({ places, folder, store, session });
  if (notes !== undefined) closing(notes);
  const agents = openAgents({
    ...{ session, store, provider, model, folder, tools, runnable, permission, definitions: kinds.definitions },
    toolsFor: (other, child) => [
      // A fork's previews name results of the session's; others may be told of one.
      ...made.toolsFor({ ...other, openResult: openStoredResults(store.results, [child.id, session.id]) }),
      ...(remembered === undefined ? [] : [remembered.toolFor(child.id)]),
      ...servers.tools,
    ],
    mailbox: mail.mailbox,
    headWith: (memory) => createSessionHead([...sections, memory]),
    ...(notes === undefined ? {} : { notes }),
    async onFirst(own) {
      const phrases = createPhrases({ agents: own, folder: places.folderOf(session.id) });
      closing(phrases);
      closing(await takeOrders(controlPath(agentHome, session.id), own, phrases));
    },
    childOptions: (child) => ({
      ...shared,
      surroundings: { ...surroundings, ...readWork(store, () => child) },
      hooks: hooksOf("agent"),
    }),
  });
  closing(agents);
  await mail.listen(agents);
  const changed = toolChanges(offered, [...tools, ...agents.tools.map(toDefinition)]);
  const readOnlyTools = tools.filter(({ effect }) => effect === "read").map(({ name }) => name);
  const extractions =
    remembered !== undefined && settings.settings.memory === "on"
      ? await (await import("../extensions/memory/open-extractions.ts")).openExtractions({
          ...{ memory: remembered.memory, store, provider, tools: runnable, readOnlyTools },
          ...{ permission: permission.permission, homeFile: places.homeFile },
          dailyTokens: session.settings().settings["memory.dailyTokens"],
          ...(options.clock === undefined ? {} : { clock: options.clock }),
        })
      : undefined;
  if (extractions !== undefined) closing(extractions);
  let waiting: Promise<void> | undefined;
  const tellWaiting = async (): Promise<void> => {
    if (remembered === undefined) return;
    const memories = await import("@palimpsest/memory");
    waiting ??= memories.tellWaiting(session, remembered.memory);
    await waiting;
  };
  return {
    ...{ session, settings, sandbox: made.sandbox, mode: () => mode, setMode },
    ...{ rewindFiles: made.rewindFiles, background: made.background },
    ...(remembered === undefined ? {} : { memory: remembered.memory }),
    ...(options.operations === undefined ? {} : { operations: options.operations }),
    tellWaiting,
    async beforeTurn(words = "") {
      collecting.begin();
      await tellWaiting();
      await followed.beforeTurn();
      const recalled = words === "" ? [] : await remembered?.recall(session, words);
      if (recalled !== undefined && recalled.length > 0) await session.append(recalled);
    },
    problems: [
      ...(options.operations?.problems ?? []),
      ...[...instructions.problems, ...servers.problems, ...(changed === undefined ? [] : [changed])],
      ...definitionProblems(kinds),
    ],
    ...{ tools: [...runnable, ...agents.tools], agents, waitForMail: mail.wait, permission },
    ...(extractions === undefined ? {} : { afterTurn: extractions.afterTurn }),
  };
}

const noApproval: PlanPorts["approvePlan"] = async () => ({
  kind: "rejected",
  comment: "Nobody is here to approve it. End your turn with the plan as your answer.",
});

interface ReadTerms {
  readonly guard: PathGuard;
  readonly rules: readonly Rule[];
  readonly mode: PermissionMode;
}

/** What may not be read is not put back after a compaction either. */
async function readAllowed(path: string, { guard, rules, mode }: ReadTerms): Promise<string | undefined> {
  const call = await toPermissionCall({ name: "Read", effect: "read" }, { file_path: path }, guard);
  const located = await guard.locate(path);
  if (located.kind !== "inside" || decidePermission(mode, rules, call).decision !== "allow") return undefined;
  const file = await loadFile(located.path, located.root);
  return file?.bytes.includes(0) ? undefined : file?.bytes.toString("utf8");
}
