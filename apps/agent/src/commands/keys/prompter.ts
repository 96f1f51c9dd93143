import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { Terminal } from "../terminal.ts";

/** Asks the person at the terminal, line by line. */
export interface Prompter {
  /** Asks a question. Resolves to the answer, or undefined if the person leaves (ctrl-c, ctrl-d). */
  ask(question: string): Promise<string | undefined>;
  /** Asks for a secret, which is not shown. */
  askSecret(question: string): Promise<string | undefined>;
  close(): void;
}

export function createPrompter({ stdin, stdout }: NonNullable<Terminal["screen"]>): Prompter {
  let shown: "all" | "nothing" = "all";
  const output = new Writable({
    write(chunk, _, done) {
      if (shown === "all") stdout.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: stdin, output, terminal: true });
  const left = new AbortController();
  lines.on("SIGINT", () => left.abort());
  lines.on("close", () => left.abort());
  const ask = async (question: string): Promise<string | undefined> =>
    lines.question(question, { signal: left.signal }).then(
      (answer) => answer.trim(),
      () => undefined,
    );
  return {
    ask,
    async askSecret(question) {
      stdout.write(question);
      shown = "nothing";
      try {
        return await ask("");
      } finally {
        shown = "all";
        stdout.write("\n");
      }
    },
    close: () => lines.close(),
  };
}
