import { createInterface } from "node:readline";
import type { MemoryInbox } from "palimpsest";

/** User messages as lines of JSON: `{"kind":"user","text":"..."}`. */
export interface PromptLines {
  /** Resolves when a message waits in the inbox, or when the input has ended. */
  next(): Promise<"waiting" | "ended">;
  /** `ended`: the input has ended. */
  state(): "open" | "ended";
  /** Describes the lines that are not valid messages, one text each. */
  readonly problems: readonly string[];
}

/** Puts messages into the inbox as they arrive. A message that arrives during a turn becomes part of the next request. */
export function readPromptLines(input: NodeJS.ReadableStream, inbox: MemoryInbox, signal: AbortSignal): PromptLines {
  const problems: string[] = [];
  let state: "open" | "ended" = "open";
  let wake = (): void => {};
  const lines = createInterface({ input, signal });
  lines.on("line", (line) => {
    if (line.trim() === "") return;
    const text = textOf(line);
    if (text === undefined)
      problems.push(`Not a message: ${line.slice(0, 200)}. Each line must be {"kind":"user","text":"..."}.`);
    else inbox.push(text);
    wake();
  });
  lines.on("close", () => {
    state = "ended";
    wake();
  });
  return {
    problems,
    state: () => state,
    async next() {
      for (;;) {
        if (inbox.waiting.length > 0) return "waiting";
        if (state === "ended") return "ended";
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

function textOf(line: string): string | undefined {
  try {
    const { kind, text } = JSON.parse(line) as { readonly kind?: unknown; readonly text?: unknown };
    return kind === "user" && typeof text === "string" && text !== "" ? text : undefined;
  } catch {
    return undefined;
  }
}
