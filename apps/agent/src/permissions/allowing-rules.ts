import { decidePermission } from "./decide-permission.ts";
import type { CommandLine, PermissionCall } from "./permission-call.ts";
import { type PermissionMode, type PermissionVerdict, type Rule, readRule } from "./rule.ts";
import { commandText } from "./shell/command-forms.ts";
import { programOf, type ShellCommand } from "./shell/shell-line.ts";

/**
 * The narrowest rules that together allow a call like this one; empty where there are none that are bound: all of Bash is never
 * offered, and the network never comes along with a command.
 */
export function offeredRules(
  mode: PermissionMode,
  rules: readonly Rule[],
  call: PermissionCall,
  verdict: PermissionVerdict,
): readonly string[] {
  // A rule that asks holds against any that allows, and so does a plan.
  if (verdict.rule !== undefined || mode === "plan") return [];
  const offered = allowingRules(call);
  const added = offered.flatMap((text) => readRule(text, "allow", "user") ?? []);
  // What would not be allowed then is not offered.
  return decidePermission(mode, [...rules, ...added], call).decision === "allow" ? offered : [];
}

/** More of them at once nobody reads. */
const MAX_RULES = 4;

function allowingRules(call: PermissionCall): readonly string[] {
  const { tool, command, paths, hosts } = call;
  if (command !== undefined) {
    const offered = [...new Set([...commandRules(tool, command), ...writeRules(command)])];
    return offered.length > MAX_RULES || hosts.length > 0 ? [] : offered;
  }
  if (hosts === "any") return [];
  const named = [...paths, ...hosts];
  if (named.some((text) => text.includes("*"))) return [];
  return named.length === 0 ? [tool] : named.map((text) => `${tool}(${text})`);
}

function commandRules(tool: string, { line }: CommandLine): readonly string[] {
  if (line.kind === "unparsed") return [];
  const patterns = line.commands.flatMap(toPatterns);
  // A star that was meant for the shell would fit anything.
  return patterns.some((pattern) => pattern.slice(0, -1).includes("*")) ? [] : patterns.map((one) => `${tool}(${one})`);
}

/** What `>` writes is allowed by a rule for files. */
function writeRules({ touched }: CommandLine): readonly string[] {
  return touched.flatMap(({ by, access, place, paths }) =>
    by === "redirect" && access === "write" && place === "inside" ? paths.map((path) => `Edit(${path})`) : [],
  );
}

/** Programs whose first word says what is to be done: what follows may differ. */
const WITH_ACTIONS: ReadonlySet<string> = new Set(
  (
    "git npm pnpm yarn bun npx cargo go make just task docker kubectl gh pip pip3 uv poetry dotnet mvn gradle gradlew mix rake bundle " +
    "composer deno turbo nx lerna rustup helm terraform ruff mypy pytest vitest jest tsc eslint biome prettier"
  ).split(" "),
);
/** Actions that run what the next word names. */
const RUNNING = /^(run|run-script|exec|x|dlx|-m|tool)$/;

/** What `timeout 5 npm test` needs is a rule for `npm test`. */
function toPatterns(command: ShellCommand): readonly string[] {
  const { effect, starts, assignments } = command;
  const isSame = effect === "same" && starts.length > 0 && assignments.length === 0;
  return isSame ? starts.flatMap(toPatterns) : [toPattern(command)];
}

/** `npm run build -- a` becomes `npm run build *`. Other commands are allowed word by word. */
function toPattern(command: ShellCommand): string {
  const text = commandText(command);
  const { words, assignments } = command;
  const [name, action, next] = words.map((word) => word.text);
  const isAction = (word: string | undefined): word is string => word !== undefined && /^[a-z][\w:.@/-]*$/i.test(word);
  if (assignments.length > 0 || !WITH_ACTIONS.has(programOf(command) ?? "") || !isAction(action)) return text;
  if (!RUNNING.test(action)) return `${name} ${action} *`;
  return isAction(next) ? `${name} ${action} ${next} *` : text;
}
