import type { Block, Media, ToolResult } from "../../log/block.ts";

/** One block of a message, as far as two lists are compared by it. */
export interface Part {
  /** Whose turn it belongs to: calls are the model's and results are not, whatever message they stand in. */
  readonly role: "user" | "assistant";
  /** `silent`: thinking, and what only the provider understands: carried along, and not compared. */
  readonly stream: "text" | "system" | "call" | "result" | "media" | "silent";
  /** The id of a call or a result; of all else, what it says, in a form that re-rendering does not change. */
  readonly key: string;
  /** What a call or a result says. */
  readonly says: string;
  readonly block: Block;
  /** The number of its message in the list, or of its entry in the log. */
  readonly of: number;
}

export function toParts(
  role: "system" | "user" | "assistant",
  content: string | readonly Block[],
  of: number,
): readonly Part[] {
  const blocks: readonly Block[] = typeof content === "string" ? [{ kind: "text", text: content }] : content;
  return blocks.flatMap((block): readonly Part[] => {
    const part = { role: role === "assistant" ? role : "user", key: "", says: "", block, of } as const;
    switch (block.kind) {
      case "text": {
        const key = withoutSpace(block.text);
        return key === "" ? [] : [{ ...part, stream: role === "system" ? "system" : "text", key }];
      }
      case "tool_call":
        return [{ ...part, role: "assistant", stream: "call", key: block.id, says: canonical(block.input) }];
      case "tool_result":
        return [{ ...part, role: "user", stream: "result", key: block.callId, says: resultText(block) }];
      case "image":
      case "document":
        return [{ ...part, stream: "media", key: mediaKey(block) }];
      case "opaque":
        // What the user gives must stay in the user's message; what the model adds comes back in many forms.
        if (role !== "assistant") return [{ ...part, stream: "media", key: canonical(block.native.block) }];
        return [{ ...part, stream: "silent" }];
      default:
        return [{ ...part, role: "assistant", stream: "silent" }];
    }
  });
}

/** Frameworks trim, join and split texts: none of that is an edit. */
function withoutSpace(text: string): string {
  return text.normalize("NFC").replace(/\s+/gu, "");
}

function resultText({ content }: ToolResult): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}

/** Without the media type, which is put right when the content comes in. */
function mediaKey({ source }: Media): string {
  return source.kind === "url" ? source.url : source.data;
}

/** JSON with the names in order: frameworks parse the inputs of calls, and write them again. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
        : inner,
    ) ?? ""
  );
}
