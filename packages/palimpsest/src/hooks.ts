export { type CommandHookOptions, commandHook } from "./command.ts";
export type {
  Hook,
  HookAnswer,
  HookAt,
  HookContext,
  HookEvent,
  HookFailure,
  HookInputs,
  HookOutputs,
  HookResults,
  HookRun,
  Hooks,
} from "./hook.ts";
export { addedContext, mergeInstructions } from "./hook.ts";
export { createHooks, type HooksOptions, InvalidHookError } from "./run.ts";
