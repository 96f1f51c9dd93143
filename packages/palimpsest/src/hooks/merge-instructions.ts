import type { HookResults } from "./hook.ts";

/** What a summary is to heed: what the user asked for, and what the hooks add to it, each once. */
export function mergeInstructions(
  customInstructions: string | undefined,
  { outputs }: HookResults<"PreCompact">,
): string | undefined {
  const all = [customInstructions, ...outputs.map(({ output }) => output.newCustomInstructions)];
  const said = new Set(all.flatMap((one) => one?.trim() || []));
  return said.size === 0 ? undefined : [...said].join("\n\n");
}
