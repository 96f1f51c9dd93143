/** `palimpsest-agent/extension`: the types of an extension, for authors of extensions (docs/guides/write-an-extension.md). */
export type { ExtensionContext, Permissions } from "./extension/context.ts";
export type { BackgroundTask, Extension, ToolSession, ToolSessionView, TurnStart } from "./extension/extension.ts";
export type { AgentSession } from "./extension/open-agent-session.ts";
export type { Person } from "./extension/person.ts";
export type { HeadSection } from "./extension/session-head.ts";
export type {
  CommandContext,
  Dialog,
  DialogAnswer,
  Option,
  Progress,
  SlashCommand,
} from "./extension/slash-command.ts";
export type { ExtensionModule } from "./extensions/user/user-extensions.ts";
export type { AgentTool, AgentToolContext, ToolEffect } from "./permissions/agent-tool.ts";
export type { Color, Line, Look, Span } from "./text/line.ts";
