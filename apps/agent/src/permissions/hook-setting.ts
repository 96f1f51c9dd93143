import { type ProgramSetting, programText, readProgram } from "./program-setting.ts";
import type { RuleOwner } from "./rule.ts";
import { MAX_TIMEOUT_MS } from "./settings-schema.ts";

/** A command that is to be run at an event, as a settings file names it. */
export interface HookSetting extends ProgramSetting {
  readonly event: string;
  readonly command: string | readonly [program: string, ...args: string[]];
  readonly tools?: string;
  readonly timeoutMs?: number;
}

/** Its command as one line. */
export function hookLine({ command }: Pick<HookSetting, "command">): string {
  return typeof command === "string" ? command : command.join(" ");
}

/** In one line, for whoever is asked whether it may be used. */
export function hookText(hook: HookSetting): string {
  return `hook at ${hook.event}: ${hookLine(hook)}${programText(hook)}`;
}

/** Reads what settings say of a hook. Undefined if it is none, which the check of the file has said. */
export function readHook(value: unknown, from: RuleOwner, say: (problem: string) => void): HookSetting | undefined {
  const fields = (typeof value === "object" ? (value ?? {}) : {}) as Readonly<Record<string, unknown>>;
  const { event, command, tools, timeoutMs } = fields;
  const line = Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === "string");
  if (typeof event !== "string" || !(typeof command === "string" || line)) return undefined;
  return {
    event,
    command: command as HookSetting["command"],
    ...readProgram(fields, from, (problem) => say(`hook at ${event}: ${problem}`)),
    ...(typeof tools === "string" ? { tools } : {}),
    ...(typeof timeoutMs === "number" && timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS ? { timeoutMs } : {}),
  };
}
