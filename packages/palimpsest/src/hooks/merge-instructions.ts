import type { HookResults } from "./hook.ts";

/** Merges the instructions for a summary: the user's, and those that hooks add, each once. */
export function mergeInstructions(
  customInstructions: string | undefined,
  { outputs }: HookResults<"PreCompact">,
): string | undefined {
  const all = [customInstructions, ...outputs.map(({ output }) => output.newCustomInstructions)];
  // A service refuses a text with half a character.
  const said = new Set(all.flatMap((one) => one?.trim().toWellFormed() || []));
  return said.size === 0 ? undefined : [...said].join("\n\n");
}
