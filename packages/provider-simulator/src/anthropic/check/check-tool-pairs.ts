import { invalid, type Problem } from "../problem.ts";
import { type PlacedBlock, pathOf } from "../prompt/conversation.ts";

/**
 * Every call is answered exactly once, at the start of the very next user turn, and nothing is answered that was not
 * called. Consecutive messages of one role are one turn to the service; the index in the text is the message's own.
 */
export function checkToolPairs(said: readonly PlacedBlock[]): Problem | undefined {
  const pairs = new ToolPairs();
  for (const one of said) {
    // A system message stands between two turns without being one.
    if (one.role === "system") continue;
    const problem = one.role === "assistant" ? pairs.call(one) : pairs.answer(one);
    if (problem !== undefined) return problem;
  }
  return pairs.unanswered();
}

/** The calls of the turn in hand, and which of them are answered. */
class ToolPairs {
  readonly #callIds = new Set<string>();
  readonly #serverCallIds = new Set<string>();
  readonly #waiting = new Set<string>();
  readonly #answered = new Set<string>();
  #callingMessage = 0;
  #turn: "calling" | "answering" = "answering";
  /** Results must come before anything else in the answering turn. */
  #results: "allowed" | "closed" = "allowed";

  call(said: PlacedBlock): Problem | undefined {
    if (this.#turn === "answering") {
      const problem = this.unanswered();
      if (problem !== undefined) return problem;
      this.#turn = "calling";
      this.#results = "allowed";
      this.#answered.clear();
    }
    const { block } = said;
    switch (block.type) {
      case "tool_use": {
        const id = block["id"] as string;
        if (this.#callIds.has(id)) return invalid(`${pathOf(said)}: \`tool_use\` ids must be unique`);
        this.#callIds.add(id);
        this.#waiting.add(id);
        this.#callingMessage = said.messageIndex;
        return undefined;
      }
      case "server_tool_use":
      case "mcp_tool_use":
        this.#serverCallIds.add(block["id"] as string);
        return undefined;
      default:
        return block.type.endsWith("_tool_result") ? this.#serverResult(said) : undefined;
    }
  }

  #serverResult(said: PlacedBlock): Problem | undefined {
    const { block } = said;
    const id = block["tool_use_id"] as string;
    if (this.#serverCallIds.has(id)) return undefined;
    const call = block.type === "mcp_tool_result" ? "mcp_tool_use" : "server_tool_use";
    return invalid(
      `${pathOf(said)}: unexpected \`tool_use_id\` found in \`${block.type}\` blocks: ${id}. Each \`${block.type}\` block must have a corresponding \`${call}\` block before it.`,
    );
  }

  answer(said: PlacedBlock): Problem | undefined {
    this.#turn = "answering";
    const { block } = said;
    if (block.type !== "tool_result") {
      this.#results = "closed";
      return undefined;
    }
    const id = block["tool_use_id"] as string;
    if (this.#answered.has(id)) {
      return invalid(
        `${pathOf(said)}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    if (!this.#waiting.has(id)) {
      return invalid(
        `${pathOf(said)}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    // A result after other content does not answer its call: the provider's guide says results come first.
    if (this.#results === "closed") return this.unanswered();
    this.#waiting.delete(id);
    this.#answered.add(id);
    return undefined;
  }

  unanswered(): Problem | undefined {
    if (this.#waiting.size === 0) return undefined;
    return invalid(
      `messages.${this.#callingMessage}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...this.#waiting].join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
  }
}
