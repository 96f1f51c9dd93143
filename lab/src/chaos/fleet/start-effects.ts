import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Effect } from "./effects-process.ts";

export interface Effects {
  readonly url: string;
  /** Reads the file of the process. */
  read(): readonly Effect[];
  stop(): void;
}

export async function startEffects(file: string): Promise<Effects> {
  writeFileSync(file, "");
  const child = fork(fileURLToPath(new URL("./effects-process.ts", import.meta.url)), [file], {
    execArgv: ["--no-warnings"],
  });
  const [url] = (await once(child, "message")) as [string];
  return {
    url,
    read: () =>
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Effect),
    stop: () => void child.kill(),
  };
}
