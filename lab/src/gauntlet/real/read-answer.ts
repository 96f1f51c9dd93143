import type { Usage } from "@palimpsest/provider-simulator";

/** What the service said: its words and its count, or why it refused. */
export interface ServiceAnswer {
  readonly text: string;
  readonly usage?: Usage;
  readonly error?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads a response of Anthropic's Messages API, whole or as a stream. What was cut off has the words that came. */
export function readAnswer(body: string, contentType: string): ServiceAnswer {
  const events = contentType.includes("event-stream") ? dataLines(body) : [parse(body)];
  let [text, counted, error] = ["", {} as Fields, undefined as string | undefined];
  for (const event of events) {
    const message = fields(event["message"] ?? event);
    counted = { ...counted, ...fields(message["usage"]), ...fields(event["usage"]) };
    for (const block of (message["content"] ?? []) as readonly Fields[]) text += wordsOf(block);
    text += wordsOf(fields(event["delta"]));
    if (event["type"] === "error") error = String(fields(event["error"])["message"]);
  }
  const isCounted = Object.keys(counted).length > 0;
  return { text, ...(isCounted ? { usage: toUsage(counted) } : {}), ...(error === undefined ? {} : { error }) };
}

function wordsOf({ text }: Fields): string {
  return typeof text === "string" ? text : "";
}

function toUsage(counted: Fields): Usage {
  const count = (name: string, within: Fields = counted): number => Number(within[name] ?? 0);
  const longCacheWriteTokens = count("ephemeral_1h_input_tokens", fields(counted["cache_creation"]));
  return {
    freshTokens: count("input_tokens"),
    cacheReadTokens: count("cache_read_input_tokens"),
    cacheWriteTokens: count("cache_creation_input_tokens") - longCacheWriteTokens,
    longCacheWriteTokens,
    outputTokens: count("output_tokens"),
    thinkingTokens: 0,
  };
}

function dataLines(body: string): readonly Fields[] {
  return body.split("\n").flatMap((line) => (line.startsWith("data:") ? [parse(line.slice("data:".length))] : []));
}

function parse(text: string): Fields {
  try {
    return fields(JSON.parse(text));
  } catch {
    // The end of a stream that was cut off, or a page of some server in between.
    return {};
  }
}

function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
