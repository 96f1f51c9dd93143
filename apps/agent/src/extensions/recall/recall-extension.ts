import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { type Collecting, collectOldResults } from "./collect-old-results.ts";
import { recallTool } from "./recall.ts";
import { recallCommand } from "./recall-command.ts";

/** Reads back what was stored, cleared or compacted. Stored results of old sessions are removed in the background. */
export function recallExtension({ store, clock }: Pick<ExtensionContext, "store" | "clock">): Extension {
  let collecting: Collecting | undefined;
  return {
    name: "recall",
    tools: ({ session }) => [recallTool((request) => session.recall(request))],
    commands: [recallCommand],
    async beforeTurn({ session }) {
      collecting ??= collectOldResults({ store, session, clock });
      collecting.begin();
    },
    close: async () => collecting?.close(),
  };
}
