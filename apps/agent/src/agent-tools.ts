export { createTools, type ToolPorts, type Tools } from "./create-tools.ts";
export type { Checkpoints, RewoundFiles } from "./files/checkpoints.ts";
export { createPathGuard, type PathGuard } from "./files/path-guard.ts";
export { type Instructions, type InstructionsOptions, openInstructions } from "./instructions/open-instructions.ts";
export {
  openToolServers,
  type ServerInstructions,
  type ToolServers,
  type ToolServersOptions,
} from "./mcp/open-tool-servers.ts";
export type { ToolServer } from "./mcp/tool-server.ts";
export { decidePermission, type PermissionMode, type PermissionVerdict } from "./permissions/decide-permission.ts";
export { type LoadedSettings, loadSettings, trustFile } from "./permissions/load-settings.ts";
export { type PermissionCall, toPermissionCall } from "./permissions/permission-call.ts";
export type { AgentSettings, HookSetting } from "./permissions/settings.ts";
export type { Sandbox } from "./shell/sandbox.ts";
export type { AskUser, Question } from "./tools/ask-user.ts";
export type { PlanAnswer } from "./tools/plan-mode.ts";
export type { AgentTool, ToolContext, ToolEffect, ToolOutcome } from "./tools/tool.ts";
export { type FetchedPage, type FetchPageOptions, fetchPage } from "./web/fetch-page.ts";
export { isPublicAddress } from "./web/is-public-address.ts";
