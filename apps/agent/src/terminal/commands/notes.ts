import type { ScreenCommand } from "./screen-command.ts";

export const notes: ScreenCommand = {
  name: "notes",
  takes: "[update]",
  about: "show the notes that the session keeps for after a compaction; update writes new ones",
  async open({ words, agent: { session }, during, say }) {
    if (words === "update") {
      const outcome = await during("Updating the notes", (signal) => session.notes.update({ signal }));
      say(`Notes ${outcome.kind}${"why" in outcome ? `: ${outcome.why}` : "."}`, { color: "quiet" });
    }
    say(filledSections(await session.notes.read()) || "There are no notes yet. To write some now: /notes update");
  },
};

/** Leaves out sections that only contain the template's description. */
function filledSections(markdown: string): string {
  return markdown
    .split(/^(?=# )/m)
    .filter((section) => section.split("\n").some((line) => !/^(# .*|_.*_|\s*)$/.test(line)))
    .map((section) => section.trimEnd())
    .join("\n\n");
}
