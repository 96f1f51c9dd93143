import type { Clock, Provider, Store, Surroundings, Tool } from "palimpsest";
import { commandHook, createHooks, type Hook } from "palimpsest/hooks";
import { resultFiles } from "palimpsest/result-files";
import { createTools, type Tools } from "../create-tools.ts";
import { loadFile } from "../files/file-states.ts";
import { createPathGuard, type PathGuard } from "../files/path-guard.ts";
import { makePrivateFolder } from "../files/private-files.ts";
import { decidePermission, type PermissionMode } from "../permissions/decide-permission.ts";
import { type LoadedSettings, loadSettings } from "../permissions/load-settings.ts";
import { toPermissionCall } from "../permissions/permission-call.ts";
import type { Rule } from "../permissions/rule.ts";
import type { HookSetting } from "../permissions/settings.ts";
import { type Todo, todosText } from "../tools/todo.ts";
import { type HeadlessPermission, headlessPermission } from "./headless-permission.ts";
import type { Places } from "./places.ts";
import { systemPrompt } from "./system-prompt.ts";
import { type AgentSession, takeSession } from "./take-session.ts";
import type { Terminal } from "./terminal.ts";
import { toTool } from "./to-tool.ts";

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
  /** @default that of the settings */
  readonly mode?: PermissionMode;
  /** Beside those of the settings. */
  readonly rules: readonly Rule[];
  readonly modelFacts: "table" | "asked";
  /** @default the system's clock */
  readonly clock?: Clock;
}

/** A session with its tools and what they may do. */
export interface Agent {
  readonly session: AgentSession;
  readonly tools: readonly Tool[];
  readonly permission: HeadlessPermission;
  readonly settings: LoadedSettings;
  readonly sandbox: Tools["sandbox"];
  readonly mode: () => PermissionMode;
  close(): Promise<void>;
}

/** Opens the agent without a screen: nobody can be asked anything. */
export async function openAgent(options: AgentOptions): Promise<Agent> {
  const { places, folder, environment, store, provider, model, id } = options;
  await makePrivateFolder(places.project);
  const settings = await loadSettings({ guard: await createPathGuard(folder), agentHome: places.agentHome });
  const guard = await createPathGuard(folder, settings.settings.folders);
  const rules = [...settings.settings.rules, ...options.rules];
  let mode = options.mode ?? settings.settings.mode;
  let todos: readonly Todo[] = [];
  const usedSkills = new Map<string, string>();

  const surroundings: Surroundings = {
    readFile: (path) => readAllowed(path, { guard, rules, mode }),
    todos: async () => todosText(todos),
    skills: async () => [...usedSkills].map(([name, text]) => ({ name, text })).toReversed(),
    planMode: async () => (mode === "plan" ? "A plan is being made: no file is changed before ExitPlan." : undefined),
  };
  const session = await takeSession({
    ...{ store, provider, model, surroundings, attendance: "alone", modelFacts: options.modelFacts },
    ...(id === undefined ? { system: await systemPrompt(folder) } : { id }),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    files: resultFiles({ folder: places.project }),
    settings: { file: places.engineSettings, environment },
    hooks: createHooks(settings.settings.hooks.map((hook) => toHook(hook, folder))),
  });
  try {
    const made = await createTools({
      ...{ guard, environment, settings: { ...settings.settings, rules } },
      ...{ home: places.home, agentHome: places.agentHome, sessionFolder: places.folderOf(session.id) },
      shownReads: () => session.filesRead(),
      recall: (request) => session.recall(request),
      keepTodos: (kept) => {
        todos = kept;
      },
      onSkillUsed: ({ name, text }) => {
        usedSkills.delete(name);
        usedSkills.set(name, text);
      },
      mode: () => mode,
      setMode: (wanted) => {
        mode = wanted;
      },
      approvePlan: async () => ({
        kind: "rejected",
        comment: "Nobody is here to approve it. End your turn with the plan as your answer.",
      }),
    });
    const byName = new Map(made.tools.map((tool) => [tool.name, tool]));
    return {
      ...{ session, settings, sandbox: made.sandbox, mode: () => mode },
      tools: made.tools.map((tool) => toTool(tool, session, folder)),
      permission: headlessPermission({ tools: byName, guard, rules, mode: () => mode }),
      async close() {
        await made.close();
        await session.close();
      },
    };
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** Hooks of events that are not known never run; `palimpsest doctor` names them. */
function toHook({ event, command, tools, timeoutMs }: HookSetting, folder: string): Hook {
  return {
    ...{ event, name: `${event}: ${typeof command === "string" ? command : command.join(" ")}` },
    run: commandHook(command, { folder }),
    ...(tools === undefined ? {} : { tools }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  } as Hook;
}

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
