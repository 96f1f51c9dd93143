/** The attachment that brings what an agent has said at its end, and the one that brings a message. */
export const RESULT = "agent-result";
export const MESSAGE = "agent-message";

/** Names of tags that only we write. What others say is data: it can neither close its own marks nor open ours. */
const OURS = /<(?=\s*\/?\s*(?:agent-result|agent-message|system-reminder)\b)/gi;

/** A text of somebody else between marks, with facts about it that we have set. */
export function marked(
  tag: typeof RESULT | typeof MESSAGE,
  facts: Readonly<Record<string, string>>,
  text: string,
): string {
  const said = Object.entries(facts).map(([name, value]) => ` ${name}="${quoted(value)}"`);
  return `<${tag}${said.join("")}>\n${text.replace(OURS, "&lt;").toWellFormed()}\n</${tag}>`;
}

function quoted(value: string): string {
  return value
    .replace(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .toWellFormed();
}

/** The keys of messages among texts of attachments: what is in the log is not delivered again. */
export function keysIn(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => /^<agent-message[^>]* key="([^"]*)"/.exec(text)?.[1] ?? []));
}

/** How a key stands in a text. */
export function keyAsWritten(key: string): string {
  return quoted(key);
}
