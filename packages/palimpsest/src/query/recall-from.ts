import { readRecallInput, recalledText, recallTool } from "../recall/recall.ts";
import type { Tool } from "../schema/tool.ts";
import type { Session } from "../session/session.ts";

/** The tool that lets the model read back content that was stored, cleared or compacted in this session. */
export function recallFrom(session: Pick<Session, "recall">): Tool {
  const { name, description = "", inputSchema: input } = recallTool;
  return {
    name,
    description,
    input,
    concurrency: "safe",
    repeat: "free",
    resultSize: "bounded",
    run: async (asked) => recalledText(await session.recall(readRecallInput(asked))),
  };
}
