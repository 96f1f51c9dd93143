export { addedContext } from "./added-context.ts";
export { type CommandHookOptions, commandHook } from "./command.ts";
export type { Hook, HookAnswer, HookAt, HookContext, HookFailure, HookResults, HookRun, Hooks } from "./hook.ts";
export type { HookEvent, HookInputs, HookOutputs } from "./hook-event.ts";
export { mergeInstructions } from "./merge-instructions.ts";
export { createHooks, type HooksOptions, InvalidHookError } from "./run.ts";
