import { commandHook, type Hook } from "palimpsest/hooks";
import type { HookSetting } from "../../permissions/settings.ts";
import { sanitizeAll } from "../../text/sanitize.ts";
import type { Environment } from "../../workspace/command-environment.ts";

export interface CommandHookOptions {
  /** An agent is no session of its own to those who are told of beginnings and ends: the session tells of it. */
  readonly whose: "session" | "agent";
  readonly folder: string;
  readonly environment: Environment;
  /** Is told what runs, as it can take a minute. */
  readonly onHook: (name: string, state: "started" | "ended") => void;
}

const OF_SESSIONS: readonly string[] = ["SessionStart", "SessionEnd", "Stop"];

/** The commands of the settings as hooks. Those of events that are not known never run; `palimpsest doctor` names them. */
export function commandHooks(
  settings: readonly HookSetting[],
  { whose, folder, environment, onHook }: CommandHookOptions,
): readonly Hook[] {
  const meant = settings.filter(({ event }) => whose === "session" || !OF_SESSIONS.includes(event));
  return meant.map(({ event, command, tools, timeoutMs }) => {
    const name = `${event}: ${typeof command === "string" ? command : command.join(" ")}`;
    const ask = commandHook(command, { folder, environment });
    const run: typeof ask = async (input, context) => {
      onHook(name, "started");
      try {
        return sanitizeAll(await ask(input, context));
      } finally {
        onHook(name, "ended");
      }
    };
    return {
      event,
      name,
      run,
      ...(tools === undefined ? {} : { tools }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    } as Hook;
  });
}
