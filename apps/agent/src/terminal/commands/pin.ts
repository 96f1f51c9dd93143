import type { ScreenCommand } from "./screen-command.ts";

export const pin: ScreenCommand = {
  name: "pin",
  takes: "[TEXT | ENTRY | remove N]",
  about: "keep a text or entry through every compaction; list the pins",
  async open({ words, agent: { session }, say }) {
    const removed = /^remove\s+(\d+)$/.exec(words)?.[1];
    if (removed !== undefined) await session.pins.remove(Number(removed));
    else if (words !== "") await session.pins.add(/^\d+$/.test(words) ? Number(words) : words);
    const pins = session.pins.list();
    if (pins.length === 0) return say("Nothing is pinned. To pin something: /pin TEXT or /pin ENTRY");
    say(
      ["Pinned (to remove one: /pin remove N):", ...pins.map(({ entry, text }) => `  ${entry}  ${oneLine(text)}`)].join(
        "\n",
      ),
    );
  },
};

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
