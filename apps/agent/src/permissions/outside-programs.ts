import type { Sandbox } from "../sandbox/open-sandbox.ts";
import { hookLine, hookText } from "./hook-setting.ts";
import { type ProgramSetting, programText } from "./program-setting.ts";
import type { AgentSettings } from "./settings.ts";
import { serverText } from "./tool-server.ts";

type Named = Pick<AgentSettings, "hooks" | "servers">;

/** The hooks and servers that the user's settings let out of the sandbox, one line each. */
export function outsidePrograms({ hooks, servers }: Named): readonly string[] {
  const programs = servers.filter((server) => "command" in server);
  return [
    ...hooks.filter(isOutside).map((hook) => `hook at ${hook.event}: ${hookLine(hook)}`),
    ...programs.filter(isOutside).map(({ name, command }) => `server ${name}: ${command.join(" ")}`),
  ];
}

/** Hooks and servers that the settings treat otherwise than commands, one line each. */
export function exceptionalPrograms({ hooks, servers }: Named): readonly string[] {
  const programs = servers.filter((server) => "command" in server);
  return [
    ...hooks.filter((hook) => programText(hook) !== "").map(hookText),
    ...programs.filter((server) => programText(server) !== "").map(serverText),
  ];
}

/** What a start says of programs that nothing encloses: one line, or none. */
export function openingText(
  settings: Named & Pick<AgentSettings, "sandbox" | "mode">,
  sandbox: Sandbox,
): readonly string[] {
  if (sandbox.kind === "none") return [withoutSandbox(settings, sandbox.reason)];
  const names = outsidePrograms(settings);
  return names.length === 0 ? [] : [`Outside of the sandbox, as your settings say: ${names.join("; ")}.`];
}

/** Why there is no sandbox, and what runs all the same. Hooks and servers do not ask: the user has written or trusted them. */
export function withoutSandbox(
  { hooks, servers, sandbox, mode }: Named & Pick<AgentSettings, "sandbox" | "mode">,
  reason: string,
  heading = "No sandbox",
): string {
  const because = `${heading}: ${reason}`;
  const programs = servers.filter((server) => "command" in server);
  const counts = [counted(hooks.length, "hook"), counted(programs.length, "MCP server")].filter((text) => text !== "");
  if (sandbox === "required") {
    const others = counts.length === 0 ? [] : ['Hooks and MCP servers run only with "sandbox": "off".'];
    return [because, "Your settings require one, so no command is run.", ...others].join(" ");
  }
  const asked = mode === "bypass" ? "in the mode bypass they do not ask" : "none runs unless you allow it";
  const run = hooks.length + programs.length === 1 ? "runs" : "run";
  const others = counts.length === 0 ? [] : [`${counts.join(" and ")} of your settings ${run} without asking.`];
  return [because, `Commands have all your rights; ${asked}.`, ...others].join(" ");
}

function isOutside({ sandbox }: ProgramSetting): boolean {
  return sandbox === "off";
}

function counted(count: number, noun: string): string {
  return count === 0 ? "" : `${count} ${noun}${count === 1 ? "" : "s"}`;
}
