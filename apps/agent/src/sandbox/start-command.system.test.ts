import { expect, test } from "vitest";
import { encloseProject } from "../testing/enclose.ts";
import { findProcesses } from "../testing/find-processes.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

test("a command that is killed while its sandbox is set up leaves nothing behind", async () => {
  const { start } = await encloseProject(temporaryProject({ "a.txt": "a\n" }));
  const marker = `${80_000 + process.pid}`;
  for (let round = 0; round < 16; round++) {
    const running = await start(`sleep ${marker}`);
    await new Promise((resolve) => setTimeout(resolve, 2 * round));
    running.kill();
    expect(await running.ended).toMatchObject({ by: "kill", signal: "SIGTERM" });
  }
  await expect.poll(() => findProcesses(marker)).toEqual([]);
});
