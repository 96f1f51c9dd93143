import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { killWhenWeEnd } from "./when-we-end.ts";

/** Runs one command with its output passed through; says how it ended. */
export function runStep(name: string, command: string, args: readonly string[]): "passed" | "failed" {
  console.log(`\n--- ${name}`);
  const startedAtMs = Date.now();
  const { status, signal, error } = spawnSync(command, args, { stdio: "inherit" });
  const seconds = ((Date.now() - startedAtMs) / 1_000).toFixed(1);
  const result = status === 0 ? "passed" : "failed";
  const why = status === 0 ? "" : `: ${error?.message ?? signal ?? `code ${status}`}`;
  console.log(`${result}: ${name} (${seconds} s)${why}`);
  return result;
}

/**
 * The same beside other steps. The output of such a step is shown when the step has ended, all at once; that of one step may be
 * passed through. The programs of a step end with this process, however this process ends.
 */
export async function runStepBeside(
  name: string,
  command: string,
  args: readonly string[],
  shown: "at-the-end" | "passed-through" = "at-the-end",
): Promise<"passed" | "failed"> {
  const startedAtMs = Date.now();
  const output: Buffer[] = [Buffer.from(`\n--- ${name}\n`)];
  const isPassedThrough = shown === "passed-through";
  if (isPassedThrough) process.stdout.write(output.pop()!);
  const streams = isPassedThrough ? "inherit" : "pipe";
  // In a process group of its own: a step starts programs, which start others.
  // It begins when somebody waits for our end: were we killed before, it would run on alone.
  const line = ["-c", 'read -r go && exec "$@" < /dev/null', "sh", command, ...args];
  const child = spawn("sh", line, { detached: true, stdio: ["pipe", streams, streams] });
  const callOff = child.pid === undefined ? () => undefined : killWhenWeEnd(child.pid);
  child.stdin?.on("error", () => undefined);
  child.stdin?.end("go\n");
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (piece: Buffer) => output.push(piece));
  const why = await new Promise<string>((resolve) => {
    child.on("error", ({ message }) => resolve(`: ${message}`));
    child.on("close", (code, signal) => resolve(code === 0 ? "" : `: ${signal ?? `code ${code}`}`));
  });
  callOff();
  const seconds = ((Date.now() - startedAtMs) / 1_000).toFixed(1);
  const result = why === "" ? "passed" : "failed";
  console.log(`${Buffer.concat(output)}${result}: ${name} (${seconds} s)${why}`);
  return result;
}

/** A program of a development dependency. `npx` would start npm before it, which takes longer than some of them. */
export const installed = (program: string): string => join("node_modules", ".bin", program);
/** Sources run as they are: workspace packages resolve to TypeScript. */
export const NODE_ON_SOURCES: readonly string[] = ["--conditions=palimpsest-source"];
