import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ENGINE_POLICIES } from "@palimpsest/observe/replay";
import { createCodeDigest } from "./code-digest.ts";
import type { Job } from "./plan-jobs.ts";

const REPLAY = new URL(".", import.meta.resolve("@palimpsest/observe/replay"));
const PEERS = new URL("../../peers/", import.meta.url);
/** What makes a recording of a transcript. */
const READING = [new URL("recording.ts", REPLAY), new URL(import.meta.resolve("@palimpsest/observe"))];
const RULE = new URL("rules/replay-rule.ts", REPLAY);

/** The code that a job's result depends on: a digest that changes only if one of its files does. */
export function createJobCode(): (job: Job) => string {
  const digestOf = createCodeDigest();
  return (job) => {
    switch (job.kind) {
      case "facts":
        return digestOf([...READING, new URL("to-facts.ts", import.meta.url)]);
      case "engine":
        return `${digestOf([...READING, new URL("replay-session.ts", REPLAY)])} ${settingsOf(job.policy)}`;
      case "rule":
        return digestOf([...READING, RULE, ruleFile(job.rule)]);
      case "library":
        return digestOf([...READING, RULE, ...peerFiles()]);
      case "foresight":
        return digestOf([...READING, RULE, new URL("clairvoyant.ts", import.meta.url)]);
    }
  };
}

function settingsOf(policy: string): string {
  return JSON.stringify(ENGINE_POLICIES.find(({ name }) => name === policy)?.policyFor("5m"));
}

/** `opencode.ts` has the rules whose names begin with its own; those without a file are plain. */
function ruleFile(rule: string): URL {
  const folder = new URL("rules/", REPLAY);
  const names = globSync("*.ts", { cwd: fileURLToPath(folder) }).map((file) => file.replace(/\.ts$/, ""));
  const own = names.filter((name) => rule.startsWith(name)).toSorted((one, other) => other.length - one.length)[0];
  return new URL(`${own ?? "plain-rules"}.ts`, folder);
}

function peerFiles(): readonly URL[] {
  return ["rules.ts", "package.json"].map((file) => new URL(file, PEERS));
}
