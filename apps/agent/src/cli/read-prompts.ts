import { createInterface } from "node:readline";
import type { MemoryInbox } from "palimpsest/core";

/** Messages that come line by line, as JSON: `{"kind":"user","text":"..."}`. */
export interface PromptLines {
  /** Resolves when something waits in the inbox, or nothing more will come. */
  next(): Promise<"waiting" | "ended">;
  /** `ended`: nothing more will come. */
  state(): "open" | "ended";
  /** Lines that could not be used, one text each. */
  readonly problems: readonly string[];
}

/** Puts messages into the inbox as they come: what comes while the model works is part of its next request. */
export function readPromptLines(input: NodeJS.ReadableStream, inbox: MemoryInbox, signal: AbortSignal): PromptLines {
  const problems: string[] = [];
  let state: "open" | "ended" = "open";
  let wake = (): void => {};
  const lines = createInterface({ input, signal });
  lines.on("line", (line) => {
    if (line.trim() === "") return;
    const text = textOf(line);
    if (text === undefined)
      problems.push(`This is no message, it must be {"kind":"user","text":"..."}: ${line.slice(0, 200)}`);
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
