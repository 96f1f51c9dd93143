import { commandOutput } from "palimpsest";
import type { Agent } from "../agent/agent.ts";
import type { Terminal } from "../commands/terminal.ts";
import { findShell } from "../sandbox/find-program.ts";
import { plainLines } from "../text/line.ts";
import { cleanText } from "../text/visible-text.ts";
import type { Printer } from "./create-printer.ts";
import { runShell } from "./run-shell.ts";
import type { Screen } from "./screen.ts";
import type { Turns } from "./turns.ts";

interface OwnCommandPorts extends Pick<Printer, "print">, Pick<Turns, "during"> {
  readonly agent: Agent;
  readonly terminal: Pick<Terminal, "environment">;
  readonly folder: string;
  readonly emit: Screen["emit"];
}

/** Runs a shell command of the user's. The model sees its output with the next message. */
export async function runOwn(command: string, ports: OwnCommandPorts): Promise<void> {
  const { agent, terminal, folder, emit, print, during } = ports;
  const { environment } = terminal;
  emit({ kind: "printed", items: [{ kind: "you", text: cleanText(`! ${command}`) }] });
  const { output, ended } = await during(`Running ${command}`, (signal) =>
    runShell({ command, folder, environment, shell: findShell(environment, [folder]), signal }),
  );
  print([
    ...(output === "" ? [] : plainLines(cleanText(output.trimEnd()), { color: "quiet" })),
    ...(ended === "exit code 0" ? [] : plainLines(`(${ended})`, { color: "warning" })),
  ]);
  await agent.session.append(commandOutput(`$ ${command}\n${output}(${ended})`));
}
