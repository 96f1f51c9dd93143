import type { Exchange } from "@palimpsest/provider-simulator";
import type { Cli } from "./run-cli.ts";

type Content = string | readonly { readonly type: string; readonly text?: string; readonly content?: Content }[];

/** The parts of a request to the simulator that tests check. */
export interface SentRequest {
  readonly system: string;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  /** The texts of all messages, one for each block, in order. */
  readonly texts: readonly string[];
  /** One text for each message, without cache marks. */
  readonly messages: readonly string[];
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** The requests that were answered, in order. */
export function sentRequests({ server }: Pick<Cli, "server">): readonly SentRequest[] {
  return server.recorder.exchanges.flatMap(toRequest);
}

function toRequest({ body, outcome }: Exchange): readonly SentRequest[] {
  if (outcome.kind !== "answered") return [];
  const { system, tools = [], messages } = JSON.parse(body);
  return [
    {
      system: textsOf(system).join("\n"),
      tools,
      texts: messages.flatMap(({ content }: { readonly content: Content }) => textsOf(content)),
      messages: messages.map((message: unknown) =>
        JSON.stringify(message, (key, value) => (key === "cache_control" ? undefined : value)),
      ),
      cacheReadTokens: outcome.usage.cacheReadTokens,
      cacheWriteTokens: outcome.usage.cacheWriteTokens,
    },
  ];
}

function textsOf(content: Content): readonly string[] {
  if (typeof content === "string") return [content];
  return content.flatMap(({ text, content: inner }) => (inner === undefined ? [text ?? ""] : textsOf(inner)));
}
