import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { processorSeconds } from "./processor-seconds.ts";

test.runIf(process.platform === "linux")("counts the work of this process and of programs that have ended", () => {
  const before = processorSeconds();
  execFileSync(process.execPath, [
    "-e",
    "const end = process.cpuUsage().user + 3e5; while (process.cpuUsage().user < end);",
  ]);
  const between = processorSeconds();
  expect(between - before).toBeGreaterThanOrEqual(0.2);
  const end = process.cpuUsage().user + 3e5;
  while (process.cpuUsage().user < end);
  expect(processorSeconds() - between).toBeGreaterThanOrEqual(0.2);
});
