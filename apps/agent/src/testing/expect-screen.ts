import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const SCREENS = fileURLToPath(new URL("../terminal/screens", import.meta.url));
/** How often the rest of a screen is looked for after the awaited text: a price, a line that disappears. */
const MOST_LOOKS = 600;
const LOOK_EVERY_MS = 50;

/** A terminal of which the text can be read. */
interface ShownScreen {
  /** Columns and rows, as in `80x24`. */
  size(): string;
  capture(): Promise<string>;
}

/** Waits until a terminal shows the kept screen of this name. `vitest --update` keeps the current screen. */
export async function expectScreen(name: string, { size, capture }: ShownScreen): Promise<void> {
  const file = `${SCREENS}/${size()}/${name}.txt`;
  const kept = await readFile(file, "utf8").catch(() => undefined);
  let shown = await capture();
  for (let looks = 1; shown !== kept && looks < MOST_LOOKS; looks++) {
    await pause(LOOK_EVERY_MS);
    shown = await capture();
  }
  await expect(shown).toMatchFileSnapshot(file);
}
