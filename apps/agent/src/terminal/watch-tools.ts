import type { Part, Tool, ToolOutput } from "palimpsest";
import { diffLines, type TextDiff } from "../text/diff-lines.ts";
import type { CurrentFile } from "./read-current-file.ts";

/** The part of an output that the screen keeps; the session has all of it. */
const MAX_CHARACTERS = 20_000;

/** What a call has brought: its output as text, and what it has changed in a file. */
export interface WatchedResult {
  /** The beginning of its output, or all of it. */
  readonly text: string;
  /** The number of lines of the whole output. */
  readonly lines: number;
  readonly diff?: TextDiff;
  /** The whole file before and after, if the call has changed one. */
  readonly change?: ChangedFile;
}

/** A file that a call changes or has changed. */
export interface ChangedFile {
  readonly path: string;
  /** Undefined: there was no file. */
  readonly before: string | undefined;
  readonly after: string;
}

export interface WatchPorts {
  readonly onResult: (callId: string, result: WatchedResult) => void;
  /** Reads a file, to show what a call changes in it. @default changes are not looked for */
  readonly readFile?: (path: string) => Promise<CurrentFile>;
}

/** The same tools; what each of them returns is told. */
export function watchTools(tools: readonly Tool[], { onResult, readFile }: WatchPorts): readonly Tool[] {
  return tools.map((tool) => ({
    ...tool,
    async execute(input, context) {
      const path = changedFile(tool.name, input);
      const before = path === undefined ? undefined : await readFile?.(path);
      const output = await tool.execute(input, context);
      if (isStream(output)) return watchStream(output, (result) => onResult(context.call.id, result));
      const change =
        path === undefined || before === undefined ? undefined : changeOf(path, before, await readFile!(path));
      const text = textOf(output);
      const shown = change && { change, diff: await diffLines(change.before ?? "", change.after) };
      onResult(context.call.id, { text: text.slice(0, MAX_CHARACTERS), lines: lineCount(text), ...shown });
      return output;
    },
  }));
}

function changedFile(tool: string, input: unknown): string | undefined {
  if (tool !== "Edit" && tool !== "Write") return undefined;
  const { file_path: path } = (input ?? {}) as { readonly file_path?: unknown };
  return typeof path === "string" ? path : undefined;
}

function changeOf(path: string, before: CurrentFile, after: CurrentFile): ChangedFile | undefined {
  if (after.kind !== "text" || (before.kind !== "text" && before.kind !== "absent")) return undefined;
  return { path, before: before.kind === "text" ? before.text : undefined, after: after.text };
}

type Stream = Extract<ToolOutput, AsyncIterable<unknown>>;

function isStream(output: ToolOutput): output is Stream {
  return typeof output === "object" && Symbol.asyncIterator in output;
}

async function* watchStream(
  stream: Stream,
  onEnd: (result: WatchedResult) => void,
): AsyncGenerator<Uint8Array | string> {
  const decoder = new TextDecoder();
  let text = "";
  let breaks = 0;
  let ends: "in a line" | "with a line" = "with a line";
  try {
    for await (const chunk of stream) {
      const piece = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
      if (text.length < MAX_CHARACTERS) text += piece;
      breaks += breakCount(piece);
      if (piece !== "") ends = piece.endsWith("\n") ? "with a line" : "in a line";
      yield chunk;
    }
  } finally {
    onEnd({ text: text.slice(0, MAX_CHARACTERS), lines: breaks + (ends === "in a line" ? 1 : 0) });
  }
}

function lineCount(text: string): number {
  const shown = text.trimEnd();
  return shown === "" ? 0 : breakCount(shown) + 1;
}

function breakCount(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

function textOf(output: Exclude<ToolOutput, Stream>): string {
  if (typeof output === "string") return output;
  const content = "content" in output ? output.content : output;
  if (typeof content === "string") return content;
  return (content as readonly Part[]).map((part) => (part.kind === "text" ? part.text : `[${part.kind}]`)).join("\n");
}
