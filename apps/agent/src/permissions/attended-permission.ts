import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Places } from "../workspace/places.ts";
import { writePrivateFile } from "../workspace/private-files.ts";
import type { ToolOrigin } from "./agent-tool.ts";
import { offeredRules } from "./allowing-rules.ts";
import { decidePermission } from "./decide-permission.ts";
import type { HeadlessPermission, PermissionPorts } from "./headless-permission.ts";
import { type AllowScope, type AskingAgent, type AskPermission, toPermissionCall } from "./permission-call.ts";
import { type Rule, type RuleOwner, readRule } from "./rule.ts";

interface AttendedPorts extends Omit<PermissionPorts, "rules"> {
  /** What is allowed for the session is added. */
  readonly rules: Rule[];
  readonly person: { readonly askPermission: AskPermission };
  /** Whose session it is. */
  readonly agentOf: (sessionId: string) => AskingAgent;
  /** Where the settings of the user are, and those of the user for this project. */
  readonly places: Pick<Places, "agentHome" | "project">;
}

const OWNERS: Readonly<Record<AllowScope, RuleOwner>> = { session: "session", project: "local", user: "user" };
const BUILT_IN: ToolOrigin = { kind: "built-in" };

/** Permission where somebody can be asked. */
export function attendedPermission({
  tools,
  rules,
  mode,
  person,
  agentOf,
  places,
  ...callPlaces
}: AttendedPorts): HeadlessPermission {
  return {
    async permission({ call: { name }, input }) {
      const verdict = decidePermission(mode(), rules, await toPermissionCall(tools.get(name)!, input, callPlaces));
      return verdict.decision === "deny" ? { kind: "deny", reason: verdict.reason } : { kind: verdict.decision };
    },
    async askHost(wanted, { sessionId, signal }) {
      const tool = tools.get(wanted.call.name)!;
      const call = await toPermissionCall(tool, wanted.input, callPlaces);
      const verdict = decidePermission(mode(), rules, call);
      // Calls run beside each other: what was asked for another one may hold for this one.
      if (verdict.decision === "allow") return { kind: "allow" };
      const allowedBy = offeredRules(mode(), rules, call, verdict);
      const asker = { agent: agentOf(sessionId), tool: tool.origin ?? BUILT_IN };
      const reply = await person.askPermission({ ...wanted, asker, reason: verdict.reason, allowedBy }, signal);
      if (reply.kind === "deny") {
        return {
          kind: "deny",
          reason: `The user does not want it${reply.comment === "" ? "." : `: ${reply.comment}`}`,
        };
      }
      if (reply.kind === "once") return { kind: "allow" };
      const from = OWNERS[reply.scope];
      rules.push(...allowedBy.flatMap((text) => readRule(text, "allow", from) ?? []));
      if (reply.scope === "user") await saveAllowed(places.agentHome, allowedBy);
      if (reply.scope === "project") await saveAllowed(places.project, allowedBy);
      return { kind: "allow" };
    },
    takeDenied: () => [],
  };
}

/** A folder of the user with a settings.json: the agent's home, or the one in it that belongs to a project. */
type RulesFolder = string;

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
