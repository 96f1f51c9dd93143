import type { SlashCommand } from "../../extension/slash-command.ts";
import { clear } from "./clear.ts";
import { compact } from "./compact.ts";
import { config } from "./config.ts";
import { context } from "./context.ts";
import { continueTurn } from "./continue.ts";
import { cost } from "./cost.ts";
import { doctor } from "./doctor.ts";
import { effort } from "./effort.ts";
import { exportSession } from "./export.ts";
import { help } from "./help.ts";
import { init } from "./init.ts";
import { inspect } from "./inspect.ts";
import { leave } from "./leave.ts";
import { mode } from "./mode.ts";
import { model } from "./model.ts";
import { notes } from "./notes.ts";
import { pin } from "./pin.ts";
import { rename } from "./rename.ts";
import { resume } from "./resume.ts";
import { review } from "./review.ts";
import type { ScreenCommand } from "./screen-command.ts";
import { snip } from "./snip.ts";
import { transcript } from "./transcript.ts";
import { undo } from "./undo.ts";

const OWN: readonly ScreenCommand[] = [
  context,
  cost,
  transcript,
  inspect,
  notes,
  compact,
  undo,
  snip,
  pin,
  clear,
  resume,
  rename,
  exportSession,
  continueTurn,
  init,
  review,
  model,
  effort,
  mode,
  config,
  doctor,
  help,
  leave,
];

/** The order in `/help`: commands that show something, that change the session, and all others. Unnamed commands come last. */
const SEEN = ["context", "cost", "transcript", "recall", "notes", "agents", "tasks", "background", "inspect"];
const CHANGED = ["compact", "undo", "rewind", "snip", "pin", "clear", "resume", "rename", "export", "continue"];
const AROUND = [
  "init",
  "review",
  "memory",
  "dream",
  "model",
  "effort",
  "mode",
  "permissions",
  "config",
  "hooks",
  "mcp",
  "doctor",
  "help",
  "exit",
];
const ORDER = [...SEEN, ...CHANGED, ...AROUND];

/** All slash commands. If two have the same name, the screen's command wins, then that of the extension that was opened first. */
export function slashCommands(ofExtensions: readonly SlashCommand[]): readonly ScreenCommand[] {
  const byName = new Map([...ofExtensions.toReversed(), ...OWN].map((command) => [command.name, command]));
  const place = ({ name }: ScreenCommand): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  return [...byName.values()].toSorted((one, other) => place(one) - place(other));
}
