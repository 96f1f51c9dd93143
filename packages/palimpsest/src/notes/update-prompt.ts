import { type CountTokens, NOTES_LIMITS, type NotesLimits, sizeOfNotes } from "./limits.ts";
import { type Notes, notesMarkdown } from "./notes.ts";

export interface UpdatePromptOptions {
  readonly notes: Notes;
  readonly countTokens: CountTokens;
  /** @default NOTES_LIMITS */
  readonly limits?: NotesLimits;
  /**
   * The user's own words. `{{notes}}`, `{{limits}}` and `{{form}}` stand for the notes as they are, what is too long, and
   * how to answer; what it leaves out of these comes at its end. @default our own
   */
  readonly prompt?: string;
}

/** The tags stand on lines of their own, and are called like nothing that a page or a program contains. */
export const UPDATE_FORM = `Answer in exactly this form, each tag on a line of its own:

<session-notes>
<notes-section heading="the heading, letter for letter">
the new content of that section, all of it: it takes the place of the old
</notes-section>
</session-notes>

- One <notes-section> for each section that changes. A section that you leave out stays as it is.
- Inside of it neither the heading nor the line in italics: they are fixed.
- If nothing changes: <session-notes>unchanged</session-notes>.
- Text only. Call no tool: every call is refused, and the update is lost.`;

const UPDATE_PROMPT = `This message comes from the program around you, not from the user. Do not go on with the task now. Bring the notes about this session up to date, from everything that stands above this message. Answer with text only; call no tool.

The notes are what will be left when the conversation above is gone. Whoever goes on from them has to find the work where you left it.

Here are the notes as they are:

<current-notes>
{{notes}}
</current-notes>

How to write them:
- "What is being worked on" and "what comes next" age fastest: if there are such sections, write them anew every time.
- Be exact: paths, names of functions, commands with their arguments, error messages, figures, as they are. What the user asked for, corrected or ruled out goes in in their own words.
- Take in what is new. What no longer holds goes out; what still holds stays, also if it is old.
- Say a thing once, where it belongs. No filler; leave a section empty rather than write that there is nothing to say.
- Not in the notes: this message, the keeping of notes, anything that stands in the system prompt or in instruction files.
- Write in the language of the conversation.

{{limits}}

{{form}}`;

/** What the fork of a conversation is told that brings the notes up to date. */
export function updatePrompt({
  notes,
  countTokens,
  limits = NOTES_LIMITS,
  prompt = UPDATE_PROMPT,
}: UpdatePromptOptions): string {
  const parts: Readonly<Record<string, string>> = {
    notes: notesMarkdown(notes).trim(),
    limits: limitsText(notes, limits, countTokens),
    form: UPDATE_FORM,
  };
  const missing = Object.keys(parts).filter((name) => !prompt.includes(`{{${name}}}`));
  const added = missing.map((name) =>
    name === "notes" ? "<current-notes>\n{{notes}}\n</current-notes>" : `{{${name}}}`,
  );
  // In one pass: what the notes say is never taken for a placeholder.
  return [prompt.trim(), ...added]
    .join("\n\n")
    .replace(/\{\{(notes|limits|form)\}\}/g, (_, name: string) => parts[name]!);
}

function limitsText(notes: Notes, limits: NotesLimits, countTokens: CountTokens): string {
  const { whole, totalTokens, oversized } = sizeOfNotes(notes, limits, countTokens);
  const rule = `A section has at most ${limits.sectionTokens} tokens, all of them together at most ${limits.totalTokens}.`;
  const tooLong = oversized.map(({ heading, tokens }) => `- "${heading}" has ${tokens} tokens.`);
  return [
    rule,
    ...(whole === "within"
      ? []
      : [
          `The notes have ${totalTokens} tokens now: too many. Shorten every section hard in this update, the longest most. What is being worked on, and what failed and was corrected, goes last.`,
        ]),
    ...(tooLong.length === 0
      ? []
      : [
          "These sections are too long. Write each anew in this update, condensed: keep what is needed to go on, join what belongs together, drop steps that led nowhere.",
          ...tooLong,
        ]),
  ].join("\n");
}
