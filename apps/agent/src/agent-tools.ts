// `palimpsest-agent`: the agent's tools, permissions and sandbox, for other programs.
export type { Extension, ToolSession, TurnStart } from "./extension/extension.ts";
export type { AskUser, PlanAnswer, Question } from "./extension/person.ts";
export type { Checkpoints, RewoundFiles } from "./extensions/checkpoints/checkpoints.ts";
export { checkpointsExtension } from "./extensions/checkpoints/checkpoints-extension.ts";
export { filesExtension } from "./extensions/files/files-extension.ts";
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
export { searchExtension } from "./extensions/search/search-extension.ts";
export { shellExtension } from "./extensions/shell/shell-extension.ts";
export { type FetchedPage, type FetchPageOptions, fetchPage, isPublicAddress } from "./extensions/web/fetch-page.ts";
export { htmlToText } from "./extensions/web/html-to-text.ts";
export { webExtension } from "./extensions/web/web-extension.ts";
export type { AgentTool, AgentToolContext, ToolEffect } from "./permissions/agent-tool.ts";
export { offeredRules } from "./permissions/allowing-rules.ts";
export { decidePermission, type PermissionMode, type PermissionVerdict } from "./permissions/decide-permission.ts";
export { type LoadedSettings, loadSettings, trustFile } from "./permissions/load-settings.ts";
export { type PermissionCall, toPermissionCall } from "./permissions/permission-call.ts";
export type { HookSetting, ToolServer } from "./permissions/program-setting.ts";
export { openSessionSandbox } from "./permissions/session-sandbox.ts";
export type { AgentSettings } from "./permissions/settings.ts";
export type { Sandbox } from "./sandbox/open-sandbox.ts";
export { createPathGuard, type PathGuard } from "./workspace/path-guard.ts";
export { placesOf } from "./workspace/places.ts";
