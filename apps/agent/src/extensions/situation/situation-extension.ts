import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { situationSection } from "./situation-section.ts";

/** The day and the git branch, in the head. */
export function situationExtension({ folder, clock }: Pick<ExtensionContext, "folder" | "clock">): Extension {
  return { name: "situation", head: situationSection({ folder, clock }) };
}
