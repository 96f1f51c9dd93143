import type { Part, Tool, ToolOutput } from "palimpsest";
import { diffLines, type TextDiff } from "../text/diff-lines.ts";
import type { CurrentFile } from "./read-current-file.ts";

/** The part of an output that the screen keeps; the session has all of it. */
const MAX_CHARACTERS = 20_000;

/** What a call has brought: its output as text, and what it has changed in a file. */
export interface WatchedResult {
  readonly text: string;
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
  readonly readFile: (path: string) => Promise<CurrentFile>;
}

/** The same tools; what each of them returns is told. */
export function watchTools(tools: readonly Tool[], { onResult, readFile }: WatchPorts): readonly Tool[] {
  return tools.map((tool) => ({
    ...tool,
    async run(input, context) {
      const path = changedFile(tool.name, input);
      const before = path === undefined ? undefined : await readFile(path);
      const output = await tool.run(input, context);
      if (isStream(output)) return watchStream(output, (text) => onResult(context.call.id, { text }));
      const change =
        path === undefined || before === undefined ? undefined : changeOf(path, before, await readFile(path));
      const text = textOf(output).slice(0, MAX_CHARACTERS);
      const shown = change && { change, diff: await diffLines(change.before ?? "", change.after) };
      onResult(context.call.id, { text, ...shown });
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
