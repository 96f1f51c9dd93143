/** `palimpsest/hooks`: hooks and commands that a host runs at events of a session. Node only. */

export { type CommandHookOptions, commandHook } from "./hooks/command.ts";
export {
  addedContext,
  type Hook,
  type HookAnswer,
  type HookAt,
  type HookContext,
  type HookEvent,
  type HookFailure,
  type HookInputs,
  type HookOutputs,
  type HookResults,
  type HookRun,
  type Hooks,
  mergeInstructions,
} from "./hooks/hook.ts";
export { createHooks, type HooksOptions, InvalidHookError } from "./hooks/run.ts";
