import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inTemporaryFolder } from "../temporary-folder.ts";
import { setCanaries } from "./canaries.ts";

test("every way out is noticed once, and what stays inside is not", async () => {
  await inTemporaryFolder(async (folder) => {
    const outside = join(folder, "outside");
    mkdirSync(outside);
    const file = join(outside, "file.txt");
    writeFileSync(file, "SECRET");
    const canaries = await setCanaries({ watched: [outside], secrets: ["SECRET"] });
    const reach = () =>
      new Promise<void>((resolve) => {
        connect(canaries.port, "127.0.0.1").on("close", resolve).resume();
      });
    const steps: readonly [does: string, act: () => unknown, said: string, noticed: number][] = [
      ["nothing", () => undefined, "", 0],
      ["shows a secret", () => undefined, "so: SECRET", 1],
      ["changes a file", () => writeFileSync(file, "other"), "", 1],
      ["opens a file to all", () => chmodSync(file, 0o777), "", 1],
      ["adds a folder", () => mkdirSync(join(outside, "new")), "", 1],
      ["connects", reach, "", 1],
      ["nothing again", () => undefined, "", 0],
    ];
    for (const [does, act, said, noticed] of steps) {
      await act();
      expect(await canaries.check(said), does).toHaveLength(noticed);
    }
    await canaries.close();
  });
});
