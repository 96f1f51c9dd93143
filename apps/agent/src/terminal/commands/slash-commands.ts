import { agents } from "./agents.ts";
import { clear } from "./clear.ts";
import type { SlashCommand } from "./command.ts";
import { compact } from "./compact.ts";
import { config } from "./config.ts";
import { context } from "./context.ts";
import { cost } from "./cost.ts";
import { doctor } from "./doctor.ts";
import { dream } from "./dream.ts";
import { goOn } from "./go-on.ts";
import { help } from "./help.ts";
import { hooks } from "./hooks.ts";
import { leave } from "./leave.ts";
import { mcp } from "./mcp.ts";
import { memory } from "./memory.ts";
import { mode } from "./mode.ts";
import { model } from "./model.ts";
import { notes } from "./notes.ts";
import { pin } from "./pin.ts";
import { recall } from "./recall.ts";
import { resume } from "./resume.ts";
import { rewind } from "./rewind.ts";
import { snip } from "./snip.ts";
import { tasks } from "./tasks.ts";
import { transcript } from "./transcript.ts";
import { undo } from "./undo.ts";

/** All of them, in the order in which they are listed: what is seen, what is changed, what is around. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [
  ...[context, cost, transcript, recall, notes, agents, tasks],
  ...[compact, undo, rewind, snip, pin, clear, resume, goOn],
  ...[memory, dream, model, mode, config, hooks, mcp, doctor, help, leave],
];
