import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const SCREENS = fileURLToPath(new URL("../terminal/screens", import.meta.url));

/** Holds a screen against the one that is kept under its name; `vitest -u` keeps what is there now. */
export async function expectScreen(size: string, name: string, screen: string): Promise<void> {
  await expect(screen).toMatchFileSnapshot(`${SCREENS}/${size}/${name}.txt`);
}
