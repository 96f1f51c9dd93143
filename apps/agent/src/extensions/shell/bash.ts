// The tools that run commands with bash, read their output and end them.
import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { ToolOutput } from "palimpsest";
import { flag, integer, list, object, optional, text } from "palimpsest/schema";
import { agentTool, done, failed } from "../../extension/make-tool.ts";
import type { AgentTool, AgentToolContext } from "../../permissions/agent-tool.ts";
import { pathsOfCommand } from "../../permissions/permission-call.ts";
import { changeWarning } from "../../sandbox/describe-changes.ts";
import type { Sandbox } from "../../sandbox/open-sandbox.ts";
import { type CommandEnd, type RunningCommand, startCommand } from "../../sandbox/start-command.ts";
import type { Environment } from "../../workspace/command-environment.ts";
import type { CommandTimes } from "../../workspace/command-times.ts";
import type { PathGuard } from "../../workspace/path-guard.ts";
import type { BackgroundCommands, BackgroundOffer } from "./background-commands.ts";

export interface BashPorts {
  readonly guard: PathGuard;
  readonly sandbox: Sandbox;
  /** Why no command may run. @default commands may run */
  readonly refusal?: () => string | undefined;
  /** The path of bash. */
  readonly shell: string;
  /** The environment of commands, without the user's secrets. */
  readonly environment: Environment;
  readonly background: BackgroundCommands;
  /** Records when commands run. @default not recorded */
  readonly commandTimes?: Pick<CommandTimes, "begin">;
  /** Notifies the person about files that a command created. @default no notices */
  readonly notify?: (text: string) => void;
}

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
/** The output to collect before it is streamed. A command with less output reports how it ended. */
const HELD_CHARACTERS = 65_536;

/** Runs commands with bash, one after the other in the same working folder, in a sandbox if available. */
export function bashTool(ports: BashPorts): AgentTool {
  const { guard, sandbox, refusal, environment, background, shell, commandTimes, notify } = ports;
  let folder = guard.roots[0]!;

  async function start(command: string, hosts: readonly string[], timeoutMs?: number): Promise<RunningCommand> {
    const end = await commandTimes?.begin();
    const running = await startIn(command, hosts, timeoutMs).catch(async (error: unknown) => {
      await end?.();
      throw error;
    });
    // The command itself reports a failed start. A missing end in the record only makes the user review more files.
    void running.ended
      .catch(() => undefined)
      .then(end)
      .catch(() => undefined);
    return running;
  }

  async function startIn(command: string, hosts: readonly string[], timeoutMs?: number): Promise<RunningCommand> {
    const common = { command, folder, environment, shell, timeoutMs };
    if (sandbox.kind === "none") return startCommand(common);
    const { minFreeBytes } = sandbox.policy.limits;
    const running = startCommand({ ...common, minFreeBytes, enclosed: await sandbox.enclose({ folder, hosts }) });
    void running.ended.then(
      ({ changes }) => {
        for (const change of changes) notify?.(changeWarning(change, "A command"));
      },
      () => undefined,
    );
    return running;
  }

  /** Falls back to the project if the working folder is gone or has become a link to another place. */
  async function findFolder(): Promise<string | undefined> {
    const located = await guard.locate(folder);
    const isThere = located.kind === "inside" && located.path === folder && (await isFolder(folder));
    if (isThere) return undefined;
    const gone = folder;
    folder = guard.roots[0]!;
    return `[${gone} is gone: this command began in ${folder}]`;
  }

  /** The notes about the end of a command, which follow its output. */
  async function finish(end: CommandEnd, timeoutMs: number): Promise<string> {
    const { by, exitCode, signal, folder: reached, notes: said } = end;
    const notes = [
      ...said,
      ...(by === "full-disk" ? ["[ended: the disk was nearly full]"] : []),
      ...(by === "timeout"
        ? [`[ended after ${timeoutMs / 1_000} s; use run_in_background for what takes longer]`]
        : []),
      ...(by === "itself" && exitCode !== 0 ? [`[${signal ?? `exit code ${exitCode}`}]`] : []),
    ];
    if (reached !== undefined && isAbsolute(reached) && reached !== folder) {
      const located = await guard.locate(reached);
      if (located.kind === "inside" && (await isFolder(located.path))) folder = located.path;
      else {
        folder = guard.roots[0]!;
        notes.push(`[${reached} lies outside of the project: the next command begins in ${folder}]`);
      }
    }
    return notes.join("\n");
  }

  return agentTool({
    name: "Bash",
    description:
      "Runs a command with bash in the project. The working folder is kept from one command to the next; variables are not. " +
      `It is ended after ${DEFAULT_TIMEOUT_MS / 1_000} seconds unless timeout_ms says otherwise. What runs on, such as a server, needs ` +
      "run_in_background: it gets an id, by which BashOutput shows what it puts out and KillBash ends it. To read, search and change " +
      `files use the other tools. ${enclosureText(sandbox)}`,
    inputSchema: object({
      command: text("The command."),
      description: optional(text("What it does, in a few words, for the user.")),
      timeout_ms: optional(integer(`Default ${DEFAULT_TIMEOUT_MS}, at most ${MAX_TIMEOUT_MS}.`, { minimum: 1 })),
      run_in_background: optional(flag("Do not wait for it. Default false.")),
      network: optional(
        list(
          text(),
          'Hosts that it needs to reach, such as ["registry.npmjs.org"]; the user may be asked. Default none.',
        ),
      ),
    }),
    concurrency: "alone",
    effect: "run",
    commands: sandbox.kind === "none" ? "none" : "sandbox",
    results: "clearable",
    timeoutMs: MAX_TIMEOUT_MS + 10_000,
    touches: ({ command }) => pathsOfCommand(command, { folder, home: environment["HOME"] ?? folder }),
    async execute({ command, timeout_ms, run_in_background = false, network = [] }, context) {
      if (command.includes("\0")) return failed("The command contains a NUL character, which no program can be given.");
      const refused = refusal?.();
      if (refused !== undefined) return failed(`Nothing was run: ${refused}`);
      const moved = await findFolder();
      if (run_in_background) {
        const id = await background.add(command, await start(command, network));
        return done(`Runs in the background as ${id}. BashOutput shows what it puts out, KillBash ends it.`);
      }
      const timeoutMs = Math.min(timeout_ms ?? DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS);
      const running = await start(command, network, timeoutMs);
      const ended = async (end: CommandEnd): Promise<string> =>
        [moved, await finish(end, timeoutMs)].filter(Boolean).join("\n");
      return follow(running, ended, context, (held) => background.offer(command, running, held));
    },
  });
}

async function follow(
  running: RunningCommand,
  finish: (end: CommandEnd) => Promise<string>,
  { signal, onOutput }: AgentToolContext,
  offer: (held: () => string) => BackgroundOffer,
): Promise<ToolOutput> {
  const onAbort = () => running.kill();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const chunks = running.output[Symbol.asyncIterator]();
  let held = "";
  const offered = offer(() => held);
  for (;;) {
    const coming = chunks.next();
    const next = await Promise.race([coming, offered.taken]);
    if (next === "taken") {
      signal.removeEventListener("abort", onAbort);
      const id = await offered.move(coming, chunks);
      const said = held.trimEnd();
      return done(
        `The user moved the command to the background as ${id}. BashOutput shows what it puts out, KillBash ends it.${said === "" ? "" : ` Its output so far:\n${said}`}`,
      );
    }
    if (next.done === true) break;
    onOutput?.(next.value);
    held += next.value;
    if (held.length >= HELD_CHARACTERS) {
      offered.withdraw();
      return streamed();
    }
  }
  offered.withdraw();
  const end = await running.ended.finally(() => signal.removeEventListener("abort", onAbort));
  signal.throwIfAborted();
  const notes = await finish(end);
  const said = [held.trimEnd(), notes].filter(Boolean).join("\n");
  const status = end.by === "itself" && end.exitCode === 0 ? "ok" : "error";
  return { content: said === "" ? "(no output)" : said, status };

  async function* streamed(): AsyncGenerator<string> {
    try {
      yield held;
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
        onOutput?.(next.value);
        yield next.value;
      }
      const notes = await finish(await running.ended);
      if (notes !== "") yield `\n${notes}`;
    } finally {
      // A reader that stops reading ends the command.
      signal.removeEventListener("abort", onAbort);
      running.kill();
    }
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}

function enclosureText(sandbox: Sandbox): string {
  return sandbox.kind === "none"
    ? "Commands are not enclosed: be careful with what they change."
    : "Commands can write only to the project, /tmp and a home folder of their own. They reach no host but those named in network. " +
        "They cannot change what the user's programs obey, such as .git/hooks, .git/config, .vscode, .envrc, .npmrc and CI workflows: " +
        "use Write or Edit for these, or ask the user (git init in the project's folder is one of them).";
}

const ID = "Id of the command, as Bash gave it.";

/** Shows a background command's output since the last call. */
export function bashOutputTool(background: BackgroundCommands): AgentTool {
  return agentTool({
    name: "BashOutput",
    description:
      "Shows what a command in the background has put out since it was last asked for, and whether it still runs.",
    inputSchema: object({ id: text(ID) }),
    concurrency: "safe",
    effect: "read",
    results: "clearable",
    async execute({ id }) {
      const output = await background.read(id);
      if (output === undefined) return failed(unknown(id, background));
      const more = output.more === "yes" ? "; there is more, ask again" : "";
      return done([output.text.trimEnd(), `[${id}: ${output.state}${more}]`].filter(Boolean).join("\n"));
    },
  });
}

/** Ends a background command. */
export function killBashTool(background: BackgroundCommands): AgentTool {
  return agentTool({
    name: "KillBash",
    description: "Ends a command that runs in the background, with all that it has started.",
    inputSchema: object({ id: text(ID) }),
    concurrency: "alone",
    effect: "talk",
    repeat: "free",
    results: "clearable",
    async execute({ id }) {
      const killed = await background.kill(id);
      if (killed === undefined) return failed(unknown(id, background));
      return done(killed === "killed" ? `${id} was ended.` : `${id} had ended already.`);
    },
  });
}

function unknown(id: string, background: BackgroundCommands): string {
  const running = background.list().map(({ id, command }) => `${id} (${command})`);
  return `There is no command ${JSON.stringify(id)}. Running: ${running.join(", ") || "none"}.`;
}
