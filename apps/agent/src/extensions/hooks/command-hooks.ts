import { commandHook, type Hook } from "palimpsest/hooks";
import { sanitizeAll } from "palimpsest/sanitize";
import { encloseProgram, enclosureAdvice, type ProgramPorts } from "../../permissions/enclose-program.ts";
import { type HookSetting, hookLine, hookText } from "../../permissions/program-setting.ts";
import { changeWarning } from "../../sandbox/describe-changes.ts";
import type { Environment } from "../../workspace/command-environment.ts";

interface CommandHookOptions {
  /** Whose hooks to create. Agents run no hooks for the start and end of sessions. */
  readonly whose: "session" | "agent";
  readonly folder: string;
  readonly environment: Environment;
  readonly programs: ProgramPorts;
  /** Called when a hook starts and ends, because it can take a minute. */
  readonly onHook: (name: string, state: "started" | "ended") => void;
  /** Receives the sandbox's messages about a hook. */
  readonly onNote: (text: string) => void;
}

const SESSION_EVENTS: readonly string[] = ["SessionStart", "SessionEnd", "Stop"];

/**
 * Converts the commands in the settings to hooks. Commands for unknown events never run; `palimpsest doctor` names them.
 */
export function commandHooks(settings: readonly HookSetting[], options: CommandHookOptions): readonly Hook[] {
  const { whose, onHook } = options;
  const relevant = settings.filter(({ event }) => whose === "session" || !SESSION_EVENTS.includes(event));
  return relevant.map((setting) => {
    const { event, tools, timeoutMs } = setting;
    const name = `${event}: ${hookLine(setting)}`;
    const run: RunHook = async (input, context) => {
      onHook(name, "started");
      try {
        return sanitizeAll(await runHook(setting, options, input, context));
      } finally {
        onHook(name, "ended");
      }
    };
    return {
      event,
      name,
      run,
      tools,
      timeoutMs,
    } as Hook;
  });
}

type RunHook = ReturnType<typeof commandHook>;

/** Runs the command of a hook, in the sandbox unless the user's settings or the machine prevent it. */
async function runHook(
  setting: HookSetting,
  { folder, environment, programs, onNote }: CommandHookOptions,
  ...[input, context]: Parameters<RunHook>
): ReturnType<RunHook> {
  const { command } = setting;
  const words = typeof command === "string" ? ["/bin/sh", "-c", command] : command;
  const start = await encloseProgram({ ...setting, words, environment }, programs);
  if (start.kind === "refused") throw new Error(`The hook was not run: ${start.reason}`);
  if (start.kind === "outside") return commandHook(command, { folder, environment })(input, context);
  const full = new AbortController();
  const unguard = start.guardDisk(() => full.abort());
  try {
    const signal = AbortSignal.any([context.signal, full.signal]);
    return await commandHook(start.line, { folder, environment: start.environment })(input, { ...context, signal });
  } catch (error) {
    if (context.signal.aborted) throw error;
    const why = full.signal.aborted ? "The hook was ended: the disk was nearly full." : (error as Error).message;
    throw new Error(`${why} ${enclosureAdvice(setting)}`);
  } finally {
    unguard();
    const { refused, changes } = await start.finish();
    for (const host of refused)
      onNote(`The ${hookText(setting)} wanted to reach ${host}. To allow it: "hosts" of the hook.`);
    for (const change of changes) onNote(changeWarning(change, `The ${hookText(setting)}`));
  }
}
