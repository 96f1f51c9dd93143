import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inTemporaryFolder } from "../temporary-folder.ts";
import { tryAll } from "./attempt.ts";
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
    const quiet = async () => "";
    const { cases, escapes } = await tryAll(
      [
        { name: "nothing", run: quiet },
        { name: "an error", run: () => Promise.reject(new Error("refused")) },
        { name: "seen", run: async () => "so: SECRET" },
        { name: "seen in an error", run: () => Promise.reject(new Error("SECRET")) },
        { name: "changed", run: async () => String(writeFileSync(file, "other")) },
        { name: "opened", run: async () => String(chmodSync(file, 0o777)) },
        { name: "added", run: async () => String(mkdirSync(join(outside, "new"))) },
        { name: "reached", run: async () => String(await reach()) },
        { name: "harmed", run: quiet, harm: () => "harm" },
        { name: "nothing again", run: quiet },
      ],
      canaries,
    );
    await canaries.close();
    expect(cases).toBe(10);
    expect(escapes.map((line) => line.split(":")[0])).toEqual([
      "seen",
      "seen in an error",
      "changed",
      "opened",
      "added",
      "reached",
      "harmed",
    ]);
  });
});
