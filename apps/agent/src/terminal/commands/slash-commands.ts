import type { SlashCommand } from "./command.ts";
import { help } from "./help.ts";
import { leave } from "./leave.ts";

/** All of them, in the order in which they are listed. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [help, leave];
