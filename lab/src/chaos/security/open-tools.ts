import { join } from "node:path";
import { memoryStore, readSettings } from "palimpsest";
import { readInput } from "palimpsest/schema";
import {
  checkpointsExtension,
  filesExtension,
  loadSettings,
  openSessionSandbox,
  type PathGuard,
  placesOf,
  type Sandbox,
  searchExtension,
  shellExtension,
  webExtension,
} from "palimpsest-agent";

export interface ToolsOptions {
  readonly folder: string;
  readonly home: string;
  readonly agentHome: string;
  readonly guard: PathGuard;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `none`: tools without commands. */
  readonly shell: "sandbox" | "none";
}

export interface OpenTools extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** Runs a tool as the query loop would, without asking for permission. Returns everything that it says. */
  use(tool: string, input: object): Promise<string>;
}

/** The real tools of the agent in a project. */
export async function openTools(options: ToolsOptions): Promise<OpenTools> {
  const { folder, home, agentHome, guard, environment } = options;
  const { settings } = await loadSettings({ guard, agentHome });
  const context = {
    folder,
    guard,
    settings,
    permissions: { mode: () => "default" as const, setMode: () => {}, rules: [...settings.rules] },
    places: placesOf(folder, { HOME: home }),
    sessionFolder: join(agentHome, "session"),
    environment,
    store: memoryStore(),
    offered: [],
    commandTimes: {
      begin: async () => async () => {},
      covers: async () => false,
      noteUnseen: async () => {},
      unseen: async () => [],
    },
    notify: () => {},
  };
  const openResult = () => async () => undefined;
  const { keepBefore } = checkpointsExtension(context);
  const sandbox: Sandbox =
    options.shell === "sandbox"
      ? await openSessionSandbox(context)
      : { kind: "none", reason: "tools without commands" };
  const shell = options.shell === "sandbox" ? shellExtension({ ...context, sandbox }) : undefined;
  const extensions = [
    filesExtension(context, { keepBefore, openResult }),
    await searchExtension(context, { openResult }),
    webExtension(context),
    ...(shell === undefined ? [] : [shell]),
  ];
  const engineSettings = await readSettings();
  const session = {
    id: "session",
    mark: async () => 1,
    settings: () => engineSettings,
    history: { newestEntry: 1 },
    view: { filesRead: () => new Map<string, number>() },
    recall: async () => ({ kind: "nothing-asked" as const }),
  };
  const tools = extensions.flatMap((extension) => extension.tools?.({ session, kind: "main", main: session }) ?? []);
  return {
    sandbox,
    async use(name, input) {
      const tool = tools.find((candidate) => candidate.name === name);
      if (tool === undefined) throw new Error(`there is no tool ${name}`);
      const signal = AbortSignal.timeout(20_000);
      const read = await readInput(tool, input);
      if (read.kind === "invalid") return read.problems.join("; ");
      const call = { kind: "tool_call" as const, id: "call", name, input };
      const running = Promise.resolve(tool.execute(read.value, { signal, call, key: "call", folder, newestEntry: 1 }));
      // As in a turn, an error is a result for the model.
      const output = await running.catch((error: unknown) => `The tool failed: ${String(error)}`);
      const content = typeof output === "object" && "content" in output ? output.content : output;
      if (typeof content === "string") return content;
      if (!(Symbol.asyncIterator in content)) return JSON.stringify(content);
      let said = "";
      for await (const piece of content) said += typeof piece === "string" ? piece : Buffer.from(piece).toString();
      return said;
    },
    async [Symbol.asyncDispose]() {
      await shell?.close?.();
    },
  };
}
