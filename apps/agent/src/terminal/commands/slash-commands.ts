import type { SlashCommand } from "../../extension/slash-command.ts";
import { agents } from "../../extensions/agents/agents-command.ts";
import { rewind } from "../../extensions/checkpoints/rewind-command.ts";
import { dream } from "../../extensions/dreams/dream-command.ts";
import { hooks } from "../../extensions/hooks/hooks-command.ts";
import { mcp } from "../../extensions/mcp/mcp-command.ts";
import { memory } from "../../extensions/memory/memory-command.ts";
import { recall } from "../../extensions/recall/recall-command.ts";
import { tasks } from "../../extensions/shell/tasks-command.ts";
import { clear } from "./clear.ts";
import { compact } from "./compact.ts";
import { config } from "./config.ts";
import { context } from "./context.ts";
import { cost } from "./cost.ts";
import { doctor } from "./doctor.ts";
import { goOn } from "./go-on.ts";
import { help } from "./help.ts";
import { leave } from "./leave.ts";
import { mode } from "./mode.ts";
import { model } from "./model.ts";
import { notes } from "./notes.ts";
import { pin } from "./pin.ts";
import { resume } from "./resume.ts";
import { snip } from "./snip.ts";
import { transcript } from "./transcript.ts";
import { undo } from "./undo.ts";

/** All of them, in the order in which they are listed: what is seen, what is changed, what is around. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [
  ...[context, cost, transcript, recall, notes, agents, tasks],
  ...[compact, undo, rewind, snip, pin, clear, resume, goOn],
  ...[memory, dream, model, mode, config, hooks, mcp, doctor, help, leave],
];
