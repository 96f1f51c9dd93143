import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const GUIDE = new URL("../../../../docs/guides/a-day-in-one-conversation.md", import.meta.url);
const SCREENS = fileURLToPath(new URL("./screens/80x24/", import.meta.url));

test("every screen of the guide is one that the program was seen to show", () => {
  const kept = globSync("*.txt", { cwd: SCREENS }).map((name) => trimmed(readFileSync(`${SCREENS}${name}`, "utf8")));
  const shown = [...readFileSync(GUIDE, "utf8").matchAll(/^```text\n([\s\S]*?)^```$/gm)].map(([, text]) =>
    trimmed(text!),
  );
  expect(shown.length).toBeGreaterThan(8);
  for (const screen of shown) expect(kept).toContain(screen);
});

/** Free rows at both ends say nothing. */
function trimmed(screen: string): string {
  return screen.replace(/^\n+|\n+$/g, "");
}
