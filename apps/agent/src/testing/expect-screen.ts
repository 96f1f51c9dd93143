import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { TmuxScreen } from "./tmux-screen.ts";

const SCREENS = fileURLToPath(new URL("../terminal/screens", import.meta.url));
/** What is drawn after what was waited for, on a machine that has other things to do: a price, a line that goes away. */
const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 50;

/** Waits until a terminal shows the screen that is kept under this name; `vitest --update` keeps what is there now. */
export async function expectScreen(
  name: string,
  { size, capture }: Pick<TmuxScreen, "size" | "capture">,
): Promise<void> {
  const file = `${SCREENS}/${size()}/${name}.txt`;
  const kept = await readFile(file, "utf8").catch(() => undefined);
  const deadlineMs = performance.now() + PATIENCE_MS;
  let shown = await capture();
  while (shown !== kept && performance.now() < deadlineMs) {
    await pause(LOOK_EVERY_MS);
    shown = await capture();
  }
  await expect(shown).toMatchFileSnapshot(file);
}
