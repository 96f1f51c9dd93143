import type { HookResults } from "./hook.ts";

/** Returns the context that hooks add for the model; undefined if there is none. */
export function addedContext({
  outputs,
}: HookResults<"SessionStart" | "SubagentStart" | "PostToolUse">): string | undefined {
  const said = outputs.flatMap(({ output }) => output.additionalContext?.trim() || []);
  return said.length === 0 ? undefined : said.join("\n\n");
}
