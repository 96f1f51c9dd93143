/** What is to be done with calls of a tool, or with those of them that fit a pattern. */
export interface Rule {
  readonly decision: "allow" | "deny" | "ask";
  /** Name of a tool, with "*" for any characters; `Network` for commands that want the network. */
  readonly tool: string;
  /** For commands and paths; without it, all calls. */
  readonly pattern?: string;
  /** Whose it is. */
  readonly from: "user" | "project";
}

const RULE = /^([\w*-]+)(?:\((.+)\))?$/s;
/** More of them, against a long path, would take long: rules may come from a repository that nobody trusts. */
const MAX_STARS = 5;

/** `Tool` or `Tool(pattern)`; undefined if it is neither, or has more than five groups of "*". */
export function readRule(text: string, decision: Rule["decision"], from: Rule["from"]): Rule | undefined {
  const [, tool, pattern] = RULE.exec(text.trim()) ?? [];
  if (tool === undefined || (text.match(/\*+/g)?.length ?? 0) > MAX_STARS) return undefined;
  return { decision, tool, from, ...(pattern === undefined ? {} : { pattern }) };
}

export function ruleText({ decision, tool, pattern, from }: Rule): string {
  return `${decision} ${tool}${pattern === undefined ? "" : `(${pattern})`} (${from})`;
}

/** Whether a command fits: "*" is any characters, and a pattern that ends in " *" also fits the bare command. */
export function fitsCommand(pattern: string, command: string): boolean {
  const squeezed = command.replaceAll(/[ \t]+/g, " ");
  return toExpression(pattern, { star: ".*", doubleStar: ".*" }).test(squeezed) || pattern === `${squeezed} *`;
}

/** Whether a path fits: "*" stays within a folder, "**" does not; a pattern without "/" fits a name in any folder. */
export function fitsPath(pattern: string, path: string): boolean {
  const anywhere = pattern.includes("/") ? pattern.replace(/^\.\//, "") : `**/${pattern}`;
  const shapes = [anywhere, `${anywhere}/**`];
  return shapes.some((shape) => toExpression(shape, { star: "[^/]*", doubleStar: ".*" }).test(path));
}

export function fitsTool(pattern: string, tool: string): boolean {
  return toExpression(pattern, { star: ".*", doubleStar: ".*" }).test(tool);
}

function toExpression(
  pattern: string,
  { star, doubleStar }: { readonly star: string; readonly doubleStar: string },
): RegExp {
  const source = pattern.replaceAll(/\*\*\/|\*{2,}|\*|[\\^$.|?+()[\]{}]/g, (found) => {
    if (found === "**/") return `(?:${doubleStar}/)?`;
    if (found.startsWith("**")) return doubleStar;
    return found === "*" ? star : `\\${found}`;
  });
  return new RegExp(`^${source}$`, "s");
}
