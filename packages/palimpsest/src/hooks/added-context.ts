import type { HookResults } from "./hook.ts";

/** What the hooks want the model to know; undefined if nothing. */
export function addedContext({
  outputs,
}: HookResults<"SessionStart" | "SubagentStart" | "PostToolUse">): string | undefined {
  const said = outputs.flatMap(({ output }) => output.additionalContext?.trim() || []);
  return said.length === 0 ? undefined : said.join("\n\n");
}
