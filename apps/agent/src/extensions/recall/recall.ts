import { recallTool as definition, readRecallInput, recalledText } from "palimpsest";
import type { Recalled, RecallRequest } from "palimpsest/inspect";
import type { AgentTool } from "../../extension/tool.ts";

/** `Session.recall()`. */
export type Recall = (request: RecallRequest) => Promise<Recalled>;

/** Reads back what was stored, cleared or compacted. The engine checks the input. */
export function recallTool(recall: Recall): AgentTool {
  return {
    ...definition,
    description: definition.description ?? "",
    concurrency: "safe",
    effect: "talk",
    repeat: "free",
    results: "clearable",
    async run(input) {
      return { content: recalledText(await recall(readRecallInput(input))), status: "ok" };
    },
  };
}
