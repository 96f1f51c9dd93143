import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writePrivateFile } from "../workspace/private-files.ts";

/**
 * Adds rules that allow to the user's own settings. What else stands there stays as it is.
 * @param home the user's folder of the agent, or the one in it that belongs to the project
 */
export async function saveAllowed(home: string, rules: readonly string[]): Promise<void> {
  const path = join(home, "settings.json");
  const text = await readFile(path, "utf8").catch(() => "{}");
  const settings = fieldsOf(JSON.parse(text));
  const permissions = fieldsOf(settings["permissions"]);
  const allowed = Array.isArray(permissions["allow"]) ? (permissions["allow"] as readonly unknown[]) : [];
  const allow = [...new Set([...allowed, ...rules])];
  const kept = { ...settings, permissions: { ...permissions, allow } };
  await writePrivateFile(path, `${JSON.stringify(kept, undefined, 2)}\n`);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
