/** The types of attachments for an agent's report and for a message. */
export const RESULT = "agent-result";
export const MESSAGE = "agent-message";

/** Names of tags that only we write. Text of others is data: it can neither close its own tags nor open ours. */
const OURS = /<(?=\s*\/?\s*(?:agent-result|agent-message|system-reminder)\b)/gi;

/** Wraps a text of somebody else in tags, with facts that we have set. */
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

/** Returns the keys of messages in texts of attachments: a logged message is not delivered again. */
export function keysIn(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => /^<agent-message[^>]* key="([^"]*)"/.exec(text)?.[1] ?? []));
}

/** The form of a key in a text. */
export function keyAsWritten(key: string): string {
  return quoted(key);
}
