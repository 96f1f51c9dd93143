import type { Exchange } from "@palimpsest/provider-simulator";

/** An edit whose good end the provider was told of. */
interface AcknowledgedEdit {
  /** The first request that told of it. */
  readonly exchange: number;
  readonly name: "Edit" | "Write";
  readonly input: {
    readonly file_path: string;
    readonly content?: string;
    readonly old_string?: string;
    readonly new_string?: string;
    readonly replace_all?: boolean;
  };
}

/** Requests from one number up to, and without, another. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

type Files = Readonly<Record<string, string>>;

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: AcknowledgedEdit["input"];
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
}

/**
 * What the files must hold, from what went over the wire alone: nothing of the agent is asked.
 * @param takenBack what was acknowledged there was rewound later
 */
export function replayEdits(files: Files, exchanges: readonly Exchange[], takenBack: readonly Span[]): Files {
  const held = { ...files };
  for (const edit of acknowledgedEdits(exchanges)) {
    if (takenBack.some(({ from, to }) => edit.exchange >= from && edit.exchange < to)) continue;
    const { file_path: path, content, old_string: before = "", new_string: after = "", replace_all } = edit.input;
    if (edit.name === "Write") held[path] = content!;
    else if (replace_all) held[path] = held[path]!.split(before).join(after);
    else held[path] = held[path]!.replace(before, () => after);
  }
  return held;
}

function acknowledgedEdits(exchanges: readonly Exchange[]): readonly AcknowledgedEdit[] {
  const calls = new Map<string, Block>();
  const edits = new Map<string, AcknowledgedEdit>();
  for (const { index, body } of exchanges) {
    const { messages } = JSON.parse(body) as { readonly messages: readonly { readonly content: unknown }[] };
    const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as Block[]) : []));
    for (const block of blocks) {
      if (block.type === "tool_use") calls.set(block.id!, block);
      if (block.type !== "tool_result" || block.is_error || edits.has(block.tool_use_id!)) continue;
      const { name, input } = calls.get(block.tool_use_id!)!;
      if (name === "Edit" || name === "Write") edits.set(block.tool_use_id!, { exchange: index, name, input: input! });
    }
  }
  return [...edits.values()];
}
