import type { Tool, ToolContext } from "palimpsest";

/** A tool of the agent: a tool, and the fields that permissions are decided by. */
export interface AgentTool<Input = unknown> extends Tool<Input, AgentToolContext> {
  readonly effect: ToolEffect;
  /**
   * Every call goes to the network: `always`, to the host of its `url`; a list, to these hosts, whatever its input. @default only
   * calls that ask for it do
   */
  readonly network?: "always" | readonly string[];
  /** Its calls are commands of the shell: whether they are enclosed. @default its calls are no commands */
  readonly commands?: Enclosure;
  /** @default built-in */
  readonly origin?: ToolOrigin;
  /**
   * The files and folders that a call touches, absolute or from the project's folder. The rules of their folders are shown to
   * the model. Asked before the call runs. @default none, as for the tools of servers
   */
  touches?(input: Input): Promise<readonly string[]>;
}

/** The part of a tool that permissions are decided by. */
export type ToolAccess = Pick<AgentTool, "name" | "effect" | "network" | "commands" | "origin">;

/** The context of a call, with the fields that the agent adds. */
export interface AgentToolContext extends ToolContext {
  /** The project, as an absolute path. */
  readonly folder: string;
  /** The number of the session's newest entry. The result of this call gets a higher number. */
  readonly newestEntry: number;
  /** Receives the output of a running command, for the screen. @default nobody */
  readonly onOutput?: (text: string) => void;
}

/** What a tool can do to the world. `talk`: it changes nothing outside of the conversation. */
export type ToolEffect = "read" | "write" | "run" | "talk";

/** Whether commands are enclosed. */
export type Enclosure = "sandbox" | "none";

/** Where a tool comes from: the agent itself, an MCP server, or an extension of the user. */
export type ToolOrigin =
  | { readonly kind: "built-in" }
  | {
      readonly kind: "server";
      readonly name: string;
      /** What the server says of the tool, which nobody has checked. */
      readonly claims?: "reads-only";
    }
  | { readonly kind: "extension"; readonly name: string };
