import { visibleText } from "../../text/visible-text.ts";

const RULE = /^([\w*-]+)(?:\((.+)\))?$/s;
const SERVER_TOOL = /^mcp__(.+?)__(.+)$/;

/** What a rule allows, for a person who has never read one. */
export function ruleInWords(rule: string): string {
  const [, tool, pattern] = RULE.exec(rule.trim()) ?? [];
  const [, server, name] = SERVER_TOOL.exec(tool ?? "") ?? [];
  if (server !== undefined && pattern === undefined) {
    return visibleText(
      name === "*" ? `all tools of the MCP server ${server}` : `every call of ${name} on the MCP server ${server}`,
    );
  }
  return visibleText(inWords(tool ?? rule, pattern));
}

function inWords(tool: string, pattern: string | undefined): string {
  switch (tool) {
    case "Bash":
      return pattern === undefined ? "EVERY shell command, whatever it does" : commandsInWords(pattern);
    case "Network":
      return pattern === undefined ? "the whole network, for every command and page" : `the network: ${pattern}`;
    case "Edit":
    case "Write":
      return pattern === undefined ? "every change of a file" : `every change of ${pattern}`;
    case "WebFetch":
      return pattern === undefined ? "fetching every page of the web" : `fetching pages of ${pattern}`;
    case "WebSearch":
      return pattern === undefined ? "every web search" : `every web search with ${pattern}`;
    case "Read":
      return pattern === undefined ? "reading every file" : `reading ${pattern}`;
    default:
      return pattern === undefined ? `every call of ${tool}` : `calls of ${tool} that fit ${pattern}`;
  }
}

function commandsInWords(pattern: string): string {
  const start = pattern.replace(/ \*$/, "");
  if (start.includes("*")) return `every command of the form "${pattern}", where * is anything`;
  return start === pattern ? `exactly the command "${pattern}"` : `"${start}" with any arguments`;
}
