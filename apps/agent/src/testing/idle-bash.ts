import { type AgentTool, defineTool, done } from "../extension/tool.ts";

/** A tool that may run commands, and runs none: for what decides whether a command may run. */
export const idleBash: AgentTool = defineTool({
  name: "Bash",
  description: "",
  input: {},
  concurrency: "alone",
  effect: "execute",
  commands: "none",
  run: async () => done(""),
});
