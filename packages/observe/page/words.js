/** Numbers and names for people. */
export function tokens(count) {
  if (count === undefined) return "";
  if (count < 1_000) return String(Math.round(count));
  return count < 999_500 ? `${(count / 1_000).toPrecision(3)}K` : `${(count / 1e6).toPrecision(3)}M`;
}

export function dollars(usd) {
  if (usd === undefined) return "";
  if (usd >= 1 || usd === 0) return `$${usd.toFixed(2)}`;
  return usd < 0.00005 ? "<$0.0001" : `$${usd.toFixed(usd < 0.01 ? 4 : 3)}`;
}

export function bytes(count) {
  if (count === undefined) return "";
  return count < 1e6 ? `${Math.ceil(count / 1e3)} KB` : `${(count / 1e6).toPrecision(3)} MB`;
}

export function time(ms) {
  return ms === undefined || ms === 0 ? "" : new Date(ms).toLocaleString(undefined, { hour12: false });
}

export function counted(count, what, several = `${what}s`) {
  return `${count.toLocaleString("en-US")} ${count === 1 ? what : several}`;
}

/** The sources of a window and the places of a request, in the words of the terminal. */
export const PLACES = {
  system: "system prompt",
  tools: "tool definitions",
  human: "your messages",
  summary: "summaries",
  assistant: "the model's answers",
  "tool-call": "tool calls",
  "tool-result": "tool results",
  command: "output of commands",
  attachment: "attachments",
  other: "images, documents",
  placeholder: "placeholders",
  settings: "settings",
};

export const FATES = { "in-view": "in view", recallable: "recallable", lost: "lost" };
