import { parseSetting, type Settings } from "palimpsest";

import type { AgentOptions } from "../agent/agent.ts";
import type { EffortChoice } from "../agent/session-effort.ts";
import type { PermissionMode } from "../permissions/decide-permission.ts";
import { type Rule, readRule } from "../permissions/rule.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { EFFORT, MODE } from "./definition.ts";
import { oneOf } from "./read-arguments.ts";

/** The options of commands that run the agent. */
interface AgentOptionValues {
  readonly mode?: string | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly set?: readonly string[] | undefined;
  readonly web?: boolean | undefined;
  readonly effort?: string | undefined;
}

/** Reads permissions and settings from the command line. */
export function readAgentArguments({
  mode: wanted,
  allow,
  deny,
  set,
  web,
  effort: thinking,
}: AgentOptionValues): Pick<AgentOptions, "rules" | "engine" | "mode" | "web" | "effort"> {
  const effort: EffortChoice | undefined = oneOf("--effort", thinking, EFFORT.of);
  const mode: PermissionMode | undefined = oneOf("--mode", wanted, MODE.of);
  return {
    rules: [...toRules(deny, "deny"), ...toRules(allow, "allow")],
    engine: toEngineSettings(set),
    mode,
    effort,
    ...(web === true ? { web: "on" } : {}),
  };
}

function toRules(texts: readonly string[] = [], decision: "allow" | "deny"): readonly Rule[] {
  return texts.map((text) => {
    const rule = readRule(text, decision, "command line");
    if (rule !== undefined) return rule;
    throw new UsageError(
      `--${decision} ${JSON.stringify(text)} is not a valid rule. Examples: Bash(npm test *), Edit(src/**), Network.`,
    );
  });
}

/** Reads the engine settings of `--set NAME=VALUE`. The last value of a name applies. */
function toEngineSettings(texts: readonly string[] = []): Partial<Settings> {
  return Object.assign(
    {},
    ...texts.map((text) => {
      const read = parseSetting(text);
      if (read.kind === "problem") throw new UsageError(`--set ${text}: ${read.message}`);
      return read.settings;
    }),
  );
}
