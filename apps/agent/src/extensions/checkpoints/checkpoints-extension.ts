import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { type Checkpoints, createCheckpoints } from "./checkpoints.ts";
import { rewindCommand } from "./rewind-command.ts";

export interface CheckpointsExtension extends Extension, Checkpoints {}

/** Saves files before tools change them, and restores them (`/rewind`). */
export function checkpointsExtension(
  context: Pick<ExtensionContext, "sessionFolder" | "guard" | "folder" | "store">,
): CheckpointsExtension {
  const { sessionFolder, guard } = context;
  const { keepBefore, rewindFiles } = createCheckpoints({ sessionFolder, guard });
  return { name: "checkpoints", keepBefore, rewindFiles, commands: [rewindCommand(context, rewindFiles)] };
}
