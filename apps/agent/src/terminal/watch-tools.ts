import type { Part, Tool, ToolOutput } from "palimpsest";

/** The part of an output that the screen keeps; the session has all of it. */
const MAX_CHARACTERS = 20_000;

/** Wraps tools so that the screen receives the text of their results. */
export function watchTools(tools: readonly Tool[], onResult: (callId: string, text: string) => void): readonly Tool[] {
  return tools.map((tool) => ({
    ...tool,
    async run(input, context) {
      const output = await tool.run(input, context);
      if (isStream(output)) return watchStream(output, (text) => onResult(context.call.id, text));
      onResult(context.call.id, textOf(output).slice(0, MAX_CHARACTERS));
      return output;
    },
  }));
}

type Stream = Extract<ToolOutput, AsyncIterable<unknown>>;

function isStream(output: ToolOutput): output is Stream {
  return typeof output === "object" && Symbol.asyncIterator in output;
}

async function* watchStream(stream: Stream, onEnd: (text: string) => void): AsyncGenerator<Uint8Array | string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of stream) {
      if (text.length < MAX_CHARACTERS)
        text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
      yield chunk;
    }
  } finally {
    onEnd(text.slice(0, MAX_CHARACTERS));
  }
}

function textOf(output: Exclude<ToolOutput, Stream>): string {
  if (typeof output === "string") return output;
  const content = "content" in output ? output.content : output;
  if (typeof content === "string") return content;
  return (content as readonly Part[]).map((part) => (part.kind === "text" ? part.text : `[${part.kind}]`)).join("\n");
}
