import { object } from "palimpsest/schema";
import { agentTool, done } from "../extension/make-tool.ts";
import type { AgentTool } from "../permissions/agent-tool.ts";

/** A tool that may run commands, and runs none: for what decides whether a command may run. */
export const idleBash: AgentTool = agentTool({
  name: "Bash",
  description: "",
  inputSchema: object({}),
  concurrency: "alone",
  effect: "run",
  commands: "none",
  execute: async () => done(""),
});
