import { commandOutput } from "palimpsest";
import { loadWords } from "../../commands/load-command.ts";
import type { CommandContext } from "../../extension/slash-command.ts";
import { findShell } from "../../sandbox/find-program.ts";
import { startCommand } from "../../sandbox/start-command.ts";
import { plain, plainLines } from "../../text/line.ts";
import { cleanText } from "../../text/visible-text.ts";
import type { Environment } from "../../workspace/command-environment.ts";
import { asTerminal, type ScreenContext } from "../commands/screen-command.ts";
import { findCommand } from "../commands/slash-commands.ts";
import { refreshStatus } from "../read-status.ts";
import type { EffectOf } from "../screen-event.ts";
import type { HandlerPorts, Running } from "./handler-ports.ts";
import { knownPastes, readMessage } from "./message.ts";

/** Runs a slash command, or a shell command after `!`. */
export async function runCommand(
  running: Running,
  { text, from, message }: EffectOf<"run-command">,
  ports: HandlerPorts,
): Promise<void> {
  ports.emit({ kind: "command-started" });
  if (from === "queue") ports.waiting.takeCommand();
  let outcome: "ran" | "unknown" | "failed" = "failed";
  try {
    outcome = text.startsWith("!")
      ? await runShellCommand(running, text.slice(1).trim(), ports)
      : await runSlashCommand(running, text, ports);
  } finally {
    if (message !== undefined && outcome === "failed") ports.emit({ kind: "message-returned", text: message.text });
    const next = message !== undefined && outcome !== "failed" ? { message } : {};
    const isStep = outcome === "ran" && text.startsWith("/");
    ports.emit({ kind: "command-ended", ...next, counts: isStep ? "tour-step" : "no-step" });
  }
}

async function runSlashCommand(running: Running, text: string, ports: HandlerPorts): Promise<"ran" | "unknown"> {
  ports.print([plain(`> ${cleanText(text).replaceAll("\n", " ")}`, { color: "you" })]);
  const found = findCommand(text, running.commands);
  if (found.kind === "unknown") {
    ports.say(found.hint, { color: "warning" });
    return "unknown";
  }
  await found.command.open(contextOf(running, found.words, ports));
  // The command may have opened another session.
  await refreshStatus(ports.running().agent, ports.emit);
  return "ran";
}

/** What a slash command can use. */
function contextOf(running: Running, words: string, ports: HandlerPorts): ScreenContext {
  const { agent, session, commands } = running;
  const { project, provider, terminal, listModels, emit, print, say, dialogs, state } = ports;
  const during = duringOf(ports);
  const pastes = knownPastes(ports).filter((paste) => words.includes(paste.text.trim()));
  return {
    words,
    agent,
    session,
    project,
    provider,
    terminal,
    commands,
    listModels,
    columns: state().columns,
    print,
    say,
    ask: dialogs.ask,
    during,
    openTranscript: async () => emit({ kind: "transcript-requested" }),
    inspect: ports.inspection.address,
    prompt: (text) => emit({ kind: "prompted", text }),
    async submit(text) {
      emit({ kind: "message", message: await readMessage(running, text, pastes, ports) });
    },
    async runCommand(what, name, args) {
      const { run, rest } = await loadWords([name, ...args]);
      const { columns } = state();
      await during(what, (signal, progress) =>
        run(rest, asTerminal({ terminal, say, columns }, signal, progress), session),
      );
    },
    reopen: ports.reopen,
    continueTurn: () => emit({ kind: "turn-requested" }),
    leave: ports.leave,
  };
}

/** Shows an activity while a command works. */
function duringOf({ emit, work, running }: HandlerPorts): CommandContext["during"] {
  return async (what, perform) => {
    emit({ kind: "busy", with: what });
    try {
      return await work.run((signal) =>
        perform(signal, (text) => emit({ kind: "progressed", with: cleanText(text).replaceAll("\n", " ") })),
      );
    } finally {
      emit({ kind: "free" });
      await refreshStatus(running().agent, emit);
    }
  };
}

/** Runs a shell command that the user typed. The model sees its output with the next message. */
async function runShellCommand({ agent, session }: Running, command: string, ports: HandlerPorts): Promise<"ran"> {
  const { terminal, project, emit, print } = ports;
  const { environment } = terminal;
  const { folder } = project;
  emit({ kind: "printed", items: [{ kind: "you", text: cleanText(`! ${command}`) }] });
  const { output, ended } = await duringOf(ports)(`Running ${command}`, (signal) =>
    runShell({ command, folder, environment, shell: findShell(environment, [folder]), signal }),
  );
  print([
    ...(output === "" ? [] : plainLines(cleanText(output.trimEnd()), { color: "quiet" })),
    ...(ended === "exit code 0" ? [] : plainLines(`(${ended})`, { color: "warning" })),
  ]);
  await session.append(commandOutput(`$ ${command}\n${output}(${ended})`));
  await refreshStatus(agent, emit);
  return "ran";
}

interface ShellRun {
  readonly command: string;
  readonly folder: string;
  readonly environment: Environment;
  /** The path of bash. */
  readonly shell: string;
  readonly signal: AbortSignal;
}

interface ShellResult {
  /** The output; of a long output, the beginning and the end. */
  readonly output: string;
  readonly ended: string;
}

const MAX_CHARACTERS = 30_000;

/** Runs a command with the user's rights and without a sandbox. */
async function runShell({ command, folder, environment, shell, signal }: ShellRun): Promise<ShellResult> {
  const running = startCommand({ command, folder, environment, shell });
  const onAbort = (): void => running.kill();
  signal.addEventListener("abort", onAbort);
  try {
    let [head, tail] = ["", ""];
    for await (const text of running.output) {
      if (head.length < MAX_CHARACTERS) head += text;
      else tail = (tail + text).slice(-MAX_CHARACTERS / 2);
    }
    const { by, exitCode, signal: killedBy } = await running.ended;
    const output = tail === "" ? head : `${head}\n[...]\n${tail}`;
    return { output, ended: by === "kill" ? "stopped" : killedBy === undefined ? `exit code ${exitCode}` : killedBy };
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
