import type { AgentSession } from "../extension/open-agent-session.ts";
import { notesFileOf } from "../extensions/notes/notes-extension.ts";
import { priceText } from "../text/price-text.ts";
import { time } from "../text/table.ts";
import { findSession } from "../workspace/stored-sessions.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inProject, inSession } from "./open-project.ts";
import { openStoredAgent } from "./open-stored-agent.ts";
import { readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Shows the notes of a session: when they were updated, what they cost, and their file. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS["sessions notes"]);
  const [id] = positionals;
  if (values.update === true) {
    const updated = await update(values, id, terminal);
    if (updated !== EXIT.done) return updated;
  }
  return inSession(terminal, { id, access: "read" }, async (session, { places }) => {
    const file = notesFileOf(places.folderOf(session.id));
    await terminal.print(values.json ? await notesJson(session, file) : await notesText(session, file));
    return EXIT.done;
  });
}

async function update(
  values: Parameters<typeof openStoredAgent>[0]["values"],
  id: string | undefined,
  terminal: Terminal,
): Promise<number> {
  return inProject(terminal, async (project) => {
    const stored = await findSession(project.store, id);
    const signal = terminal.interruption();
    const agent = await openStoredAgent({ values, stored, project, terminal });
    if (agent === undefined) return EXIT.failed;
    try {
      for (const problem of agent.problems) terminal.say(problem, "warning");
      const outcome = await agent.session.notes.update({ signal });
      if (signal.aborted) return EXIT.interrupted;
      if (outcome.kind !== "failed") return EXIT.done;
      terminal.say(`Could not update the notes: ${outcome.why}. They stay as they were.`, "warning");
      return EXIT.failed;
    } finally {
      await agent.close();
    }
  });
}

async function notesJson(session: AgentSession, file: string): Promise<string> {
  const [latest, cost] = [await session.notes.latest(), await costOf(session)];
  const { responses: updates, priceUsd } = cost ?? { responses: 0, priceUsd: 0 };
  const found = latest === undefined ? {} : { updatedAtMs: latest.atMs, coveredTo: latest.coveredTo, file };
  return JSON.stringify({ session: session.id, updates, priceUsd, ...found, markdown: latest?.markdown ?? "" });
}

/**
 * Formats the notes as text, without empty sections, after a line about their time and cost.
 * @param file the notes file, to be shown
 */
export async function notesText(session: AgentSession, file?: string): Promise<string> {
  const [latest, cost] = [await session.notes.latest(), await costOf(session)];
  const spent = cost === undefined ? "" : ` Updates so far: ${cost.responses}, for ${priceText(cost)}.`;
  const sections = latest === undefined ? "" : filledSections(latest.markdown);
  const how = file === undefined ? "/notes update" : "palimpsest sessions notes --update";
  if (latest === undefined || sections === "") return `There are no notes yet.${spent} To write some now: ${how}`;
  const when = `Updated ${time(latest.atMs)} UTC, up to entry ${latest.coveredTo}.`;
  return `${when}${spent}${file === undefined ? "" : `\nFile: ${file}`}\n\n${sections}`;
}

async function costOf(session: AgentSession) {
  return (await session.ledger.cost()).bySource["session_notes"];
}

/** Leaves out sections that contain only the template's description. */
function filledSections(markdown: string): string {
  return markdown
    .split(/^(?=# )/m)
    .filter((section) => section.split("\n").some((line) => !/^(# .*|_.*_|\s*)$/.test(line)))
    .map((section) => section.trimEnd())
    .join("\n\n");
}
