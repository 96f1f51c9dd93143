import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writePrivateFile } from "../workspace/private-files.ts";
import type { Rule } from "./rule.ts";

/** A folder of the user with a settings.json: the agent's home, or the one in it that belongs to a project. */
export type RulesFolder = string;

/** Adds rules that allow to settings of the user. What else stands there stays as it is. */
export async function saveAllowed(folder: RulesFolder, rules: readonly string[]): Promise<void> {
  await changeRules(folder, "allow", (texts) => [...new Set([...texts, ...rules])]);
}

/** Takes a rule out of settings of the user. Resolves to whether it stood there. */
export async function removeRule(folder: RulesFolder, decision: Rule["decision"], rule: string): Promise<boolean> {
  let found = false;
  await changeRules(folder, decision, (texts) => {
    found = texts.includes(rule);
    return found ? texts.filter((text) => text !== rule) : undefined;
  });
  return found;
}

/** @param change undefined: nothing is written */
async function changeRules(
  folder: RulesFolder,
  decision: Rule["decision"],
  change: (texts: readonly unknown[]) => readonly unknown[] | undefined,
): Promise<void> {
  const path = join(folder, "settings.json");
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  const settings = fieldsOf(JSON.parse(text));
  const permissions = fieldsOf(settings["permissions"]);
  const texts = permissions[decision];
  const changed = change(Array.isArray(texts) ? texts : []);
  if (changed === undefined) return;
  const kept = { ...settings, permissions: { ...permissions, [decision]: changed } };
  await writePrivateFile(path, `${JSON.stringify(kept, undefined, 2)}\n`);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
