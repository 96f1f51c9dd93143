import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createCodeDigest } from "./code-digest.ts";
import type { Job } from "./jobs.ts";
import { enginePolicy } from "./policies.ts";
import { TRIED } from "./rules.ts";

const REPLAY = new URL(".", import.meta.resolve("@palimpsest/observe/replay"));
const PEERS = new URL("../../peers/", import.meta.url);
/** What makes a recording of a transcript. */
const READING = [new URL("recording.ts", REPLAY), new URL("../transcripts/readers/read-transcript.ts", REPLAY)];
const RULE = new URL("rules/replay-rule.ts", REPLAY);

/** The code that a job's result depends on: a digest that changes only if one of its files does. */
export function createJobCode(): (job: Job) => string {
  const digestOf = createCodeDigest();
  return (job) => {
    switch (job.kind) {
      case "facts":
        return digestOf([...READING, new URL("facts.ts", import.meta.url)]);
      case "engine":
        return `${digestOf([...READING, new URL("replay-session.ts", REPLAY)])} ${JSON.stringify(enginePolicy(job.name))}`;
      case "rule":
        return digestOf([...READING, RULE, ruleFile(job.name)]);
      case "library":
        return `${digestOf([...READING, RULE, new URL("rules/plain-rules.ts", REPLAY)])} ${peersDigest()}`;
    }
  };
}

/** The files themselves: what they import of ours is the rules' part of the replay, and not the engine. */
function peersDigest(): string {
  const hash = createHash("sha256");
  for (const file of globSync("{rules*,compact-at-limit}.ts", { cwd: fileURLToPath(PEERS) }).sort())
    hash.update(readFileSync(new URL(file, PEERS)));
  return hash.update(readFileSync(new URL("package.json", PEERS))).digest("hex");
}

/** `opencode.ts` has the rules whose names begin with its own; those without a file are plain. */
function ruleFile(rule: string): URL {
  if (TRIED.some(({ name }) => name === rule)) return new URL("rules.ts", import.meta.url);
  const folder = new URL("rules/", REPLAY);
  const names = globSync("*.ts", { cwd: fileURLToPath(folder) }).map((file) => file.replace(/\.ts$/, ""));
  const own = names.filter((name) => rule.startsWith(name)).toSorted((one, other) => other.length - one.length)[0];
  return new URL(`${own ?? "plain-rules"}.ts`, folder);
}
