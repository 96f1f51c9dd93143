import type { Block, ToolCall } from "palimpsest";
import { shellTouches } from "./shell-touches.ts";
import type { Touch } from "./touch.ts";

interface Statement {
  readonly blocks: readonly Block[];
}

/** An access with its result, and the message of it. */
export interface SeenTouch extends Touch {
  readonly result: string;
  readonly message: number;
  readonly status: "ok" | "error";
}

/** The reads and edits of recorded agents that succeeded. */
export function touchesOf(messages: readonly Statement[]): readonly SeenTouch[] {
  return attemptsOf(messages).filter(({ status }) => status === "ok");
}

/** The reads and edits of recorded agents, also those that failed. */
export function attemptsOf(messages: readonly Statement[]): readonly SeenTouch[] {
  const calls = new Map<string, ToolCall>();
  const touches: SeenTouch[] = [];
  for (const [message, { blocks }] of messages.entries()) {
    for (const block of blocks) {
      if (block.kind === "tool_call") calls.set(block.id, block);
      const call = block.kind === "tool_result" ? calls.get(block.callId) : undefined;
      if (call === undefined || block.kind !== "tool_result") continue;
      const { status } = block;
      for (const touch of toTouches(call)) touches.push({ ...touch, result: resultText(block), message, status });
    }
  }
  return touches;
}

/** The files that a call reads, through a tool for files or through the shell. */
export function filesRead(call: ToolCall): readonly string[] {
  return toTouches(call).flatMap(({ path, access }) => (access === "read" ? [path] : []));
}

function toTouches(call: ToolCall): readonly Touch[] {
  const touch = toTouch(call);
  return touch === undefined ? shellTouches(call) : [touch];
}

function toTouch({ name, input }: ToolCall): Touch | undefined {
  const fields = (typeof input === "object" && input !== null ? input : {}) as Readonly<Record<string, unknown>>;
  const path = fields["file_path"] ?? fields["path"];
  const access = /^(read|view)/i.test(name) ? "read" : /^(edit|write|multiedit)/i.test(name) ? "edit" : undefined;
  if (access === undefined || typeof path !== "string") return undefined;
  const [offset, limit] = [fields["offset"], fields["limit"]];
  const first = typeof offset === "number" ? Math.max(1, offset) : 1;
  const replaced = fields["old_string"] ?? fields["oldText"];
  const written = fields["content"] ?? fields["new_string"] ?? fields["newText"];
  return {
    path,
    access,
    ...(typeof limit === "number" ? { lines: [first, first + limit - 1] as const } : {}),
    ...(typeof replaced === "string" ? { replaced } : {}),
    ...(typeof written === "string" ? { written } : {}),
  };
}

function resultText({ content }: Extract<Block, { kind: "tool_result" }>): string {
  const text =
    typeof content === "string" ? content : content.map((part) => (part.kind === "text" ? part.text : "")).join("\n");
  // Codex tells of the command before its output.
  return text.replace(/^(?:Command: .*\n)?Chunk ID: [\s\S]{0,400}?\nOutput:\n/, "");
}

/** The assumed length of lines that were never read: the files no longer exist. */
const UNSEEN_LINE = "?".repeat(35);

/** The files of a session, as far as its reads and edits have shown them. */
export function contentsOf(messages: readonly Statement[]): Map<string, string> {
  const files = new Map<string, string>();
  for (const touch of touchesOf(messages)) files.set(touch.path, withTouch(files.get(touch.path) ?? "", touch));
  return files;
}

/** Returns a file as it was after this many messages; undefined if it was not known then. */
export type FileThen = (path: string, messages: number) => string | undefined;

/** Follows the files of a session through time. Ask in the order of time: each change is applied once. */
export function followFiles(messages: readonly Statement[]): FileThen {
  const touches = Map.groupBy(touchesOf(messages), ({ path }) => path);
  const reached = new Map<string, { content: string; touches: number; messages: number }>();
  return (path, count) => {
    const all = touches.get(path) ?? [];
    const before = reached.get(path);
    const state =
      before !== undefined && before.messages <= count ? before : { content: "", touches: 0, messages: count };
    for (let next = all[state.touches]; next !== undefined && next.message < count; next = all[state.touches]) {
      state.content = withTouch(state.content, next);
      state.touches++;
    }
    state.messages = count;
    reached.set(path, state);
    return state.touches === 0 ? undefined : state.content;
  };
}

function withTouch(content: string, touch: SeenTouch): string {
  return touch.access === "read" ? withRead(content, touch) : withEdit(content, touch);
}

function withRead(content: string, { lines, result }: SeenTouch): string {
  const known = content === "" ? [] : content.split("\n");
  const numbered = Array.from(
    result.matchAll(/^[ \t]{0,20}(\d{1,7})[\u2192\t](.*)$/gm),
    ([, line, text]) => [Number(line), text!] as const,
  );
  // Some agents show lines without numbers.
  const shown =
    numbered.length > 0
      ? numbered
      : result.split("\n").map((text, index) => [(lines?.[0] ?? 1) + index, text] as const);
  for (const [line, text] of shown) known[line - 1] = text;
  return Array.from(known, (text) => text ?? UNSEEN_LINE).join("\n");
}

function withEdit(content: string, { replaced, written }: Touch): string {
  if (written === undefined) return content;
  return replaced === undefined || replaced === "" ? written : content.replace(replaced, () => written);
}
