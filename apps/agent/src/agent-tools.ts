export { createTools, type ToolPorts, type Tools } from "./create-tools.ts";
export type { AgentTool, ToolContext, ToolEffect, ToolOutcome } from "./extension/tool.ts";
export type { Checkpoints, RewoundFiles } from "./extensions/checkpoints/checkpoints.ts";
export {
  type Instructions,
  type InstructionsOptions,
  openInstructions,
} from "./extensions/instructions/open-instructions.ts";
export {
  openToolServers,
  type ServerInstructions,
  type ToolServers,
  type ToolServersOptions,
} from "./extensions/mcp/open-tool-servers.ts";
export type { PlanAnswer } from "./extensions/plan/plan-mode.ts";
export type { AskUser, Question } from "./extensions/questions/ask-user.ts";
export type { Sandbox } from "./extensions/shell/sandbox.ts";
export { type FetchedPage, type FetchPageOptions, fetchPage } from "./extensions/web/fetch-page.ts";
export { isPublicAddress } from "./extensions/web/is-public-address.ts";
export { decidePermission, type PermissionMode, type PermissionVerdict } from "./permissions/decide-permission.ts";
export { type LoadedSettings, loadSettings, trustFile } from "./permissions/load-settings.ts";
export { type PermissionCall, toPermissionCall } from "./permissions/permission-call.ts";
export type { AgentSettings, HookSetting } from "./permissions/settings.ts";
export type { ToolServer } from "./permissions/tool-server.ts";
export { createPathGuard, type PathGuard } from "./workspace/path-guard.ts";
