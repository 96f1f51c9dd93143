/** `@palimpsest/mcp`: tools over the sessions on this machine. The command of the package serves them over MCP. */

export { createTools, type SessionTools, type ToolsOptions } from "./create-tools.ts";
export type { SessionsOptions } from "./sessions/find-sessions.ts";
export type { SessionTool, ToolAnswer } from "./tool.ts";
