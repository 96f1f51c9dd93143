import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { memoryStore } from "palimpsest";
import {
  checkpointsExtension,
  createPathGuard,
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
import type { AttackWorld, Guards } from "./attack.ts";
import { type Canaries, setCanaries } from "./canaries.ts";
import { openGuard } from "./open-guard.ts";
import { runLoosely } from "./run-loosely.ts";

/** What lies outside of the project: must neither be read nor change. */
export const SECRET = "CANARY-7f3a91c2";
/** What commands are given in the environment of the agent and must not see. */
const SECRET_ENVIRONMENT: Readonly<Record<string, string>> = {
  MODEL_API_KEY: SECRET,
  GITHUB_TOKEN: SECRET,
  DATABASE_PASSWORD: SECRET,
  AWS_SECRET_ACCESS_KEY: SECRET,
  DATABASE_URL: `postgres://user:${SECRET}@localhost/x`,
};

export interface Playground extends AttackWorld {
  /** Holds the project, the home, and beside them what is nobody's business. */
  readonly base: string;
  readonly folder: string;
  readonly home: string;
  readonly agentHome: string;
  readonly outside: string;
  readonly guard: PathGuard;
  readonly sandbox: Sandbox;
  readonly canaries: Canaries;
  /** Runs a command as the Bash tool does. With the guard removed: in a sandbox that only spares the rest of this machine. */
  command(line: string): Promise<string>;
  /** Runs a tool as the loop would, without asking for permission; gives back all that it says. */
  use(tool: string, input: object): Promise<string>;
}

/** A project with the real tools in it, and canaries all around; gone afterwards. */
export async function inPlayground<Result>(
  guards: Guards,
  act: (playground: Playground) => Promise<Result>,
): Promise<Result> {
  // Not in /tmp: enclosed commands have one of their own, and would not find the canaries.
  const base = await realpath(await mkdtemp("/var/tmp/palimpsest-chaos-"));
  const [folder, home, outside] = [join(base, "project"), join(base, "home"), join(base, "outside")];
  const agentHome = join(home, ".palimpsest");
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  };
  await put(join(folder, "inside.txt"), "inside\n");
  await put(join(folder, "sub/file.txt"), "inside too\n");
  await put(join(folder, ".git/config"), "[core]\n");
  for (const path of ["outside/file.txt", "outside/deep/file.txt", "project-backup/file.txt", "file.txt"]) {
    await put(join(base, path), `${SECRET}\n`);
  }
  for (const path of [".ssh/id_rsa", ".aws/credentials", ".netrc", ".npmrc", ".config/gh/hosts.yml", ".gnupg/key"]) {
    await put(join(home, path), `${SECRET}\n`);
  }
  await mkdir(agentHome);
  const guard = guards === "kept" ? await createPathGuard(folder) : openGuard(folder, base);
  const { settings } = await loadSettings({ guard, agentHome });
  const context = {
    folder,
    guard,
    settings,
    permissions: { mode: () => "default" as const, setMode: () => {}, rules: [...settings.rules] },
    places: placesOf(folder, { HOME: home }),
    sessionFolder: join(agentHome, "session"),
    environment: { ...process.env, ...SECRET_ENVIRONMENT, HOME: home },
    store: memoryStore(),
    offered: [],
  };
  const openResult = () => async () => undefined;
  const { keepBefore } = checkpointsExtension(context);
  const sandbox: Sandbox =
    guards === "kept" ? await openSessionSandbox(context) : { kind: "none", reason: "the guard is removed" };
  const shell = guards === "kept" ? shellExtension({ ...context, sandbox }) : undefined;
  const extensions = [
    filesExtension(context, { keepBefore, openResult }),
    await searchExtension(context, { openResult }),
    ...(shell === undefined ? [] : [shell]),
    webExtension(context),
  ];
  const session = {
    id: "session",
    history: { newestEntry: 1 },
    view: { filesRead: () => new Map<string, number>() },
    recall: async () => ({ kind: "nothing-asked" as const }),
  };
  const tools = extensions.flatMap((extension) => extension.tools?.({ session, kind: "main", main: session }) ?? []);
  const watched = [outside, join(base, "project-backup"), join(base, "file.txt")];
  const inHome = [".ssh", ".aws", ".netrc", ".npmrc", ".config", ".gnupg"].map((name) => join(home, name));
  const canaries = await setCanaries({ watched: [...watched, ...inHome], secrets: [SECRET] });
  try {
    return await act({
      base,
      folder,
      home,
      agentHome,
      outside,
      guard,
      sandbox,
      canaries,
      command: (line) =>
        guards === "kept"
          ? use("Bash", { command: line, timeout_ms: 15_000 })
          : runLoosely({ line, folder, base, environment: context.environment }),
      use,
    });
  } finally {
    await shell?.close?.();
    await canaries.close();
    await rm(base, { recursive: true, force: true });
  }

  async function use(name: string, input: object): Promise<string> {
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    const signal = AbortSignal.timeout(20_000);
    const { content } = await tool.run(input, { signal, callId: "call", folder, newestEntry: 1 });
    if (typeof content === "string") return content;
    if (!(Symbol.asyncIterator in content)) return JSON.stringify(content);
    let said = "";
    for await (const piece of content) said += typeof piece === "string" ? piece : Buffer.from(piece).toString();
    return said;
  }
}
