import type { ScreenCommand } from "./screen-command.ts";

export const notes: ScreenCommand = {
  name: "notes",
  takes: "[update]",
  about: "the session's own notes, by which it goes on after a compaction",
  async open({ words, agent: { session }, during, say }) {
    if (words === "update") {
      const outcome = await during("Bringing the notes up to date", (signal) => session.notes.update({ signal }));
      say(`Notes ${outcome.kind}${"why" in outcome ? `: ${outcome.why}` : "."}`, { color: "quiet" });
    }
    say(
      filledSections(await session.notes.read()) || "Nothing is noted yet. /notes update looks what there is to note.",
    );
  },
};

/** The template says of each section what belongs there; those that hold nothing else are left out. */
function filledSections(markdown: string): string {
  return markdown
    .split(/^(?=# )/m)
    .filter((section) => section.split("\n").some((line) => !/^(# .*|_.*_|\s*)$/.test(line)))
    .map((section) => section.trimEnd())
    .join("\n\n");
}
