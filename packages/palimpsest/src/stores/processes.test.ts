import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { systemProcesses } from "./owner.ts";

const onLinux = process.platform === "linux";

test("knows this process again", () => {
  const { self, find } = systemProcesses();
  expect(self.pid).toBe(process.pid);
  if (onLinux) expect(find(self.pid)).toEqual({ kind: "running", started: self.started });
  else expect(find(self.pid)).toEqual({ kind: "unknown" });
});

test("a process that has ended is absent, also before its parent has asked for it", async () => {
  // The shell's child ends at once, and the shell, stopped, does not ask.
  const child = spawn("sh", ["-c", "true & echo $!; kill -STOP $$; wait"], { stdio: ["ignore", "pipe", "inherit"] });
  const [chunk] = (await once(child.stdout, "data")) as [Buffer];
  const grandchild = Number(chunk.toString());
  const { find } = systemProcesses();
  if (onLinux) await expect.poll(() => find(grandchild)).toEqual({ kind: "absent" });
  expect(find(child.pid!).kind).not.toBe("absent");
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(find(child.pid!)).toEqual({ kind: "absent" });
});

test("ticks are the same in two processes of a realm, and never run back", async () => {
  const { ticksMs, self } = systemProcesses();
  const before = ticksMs();
  const module = new URL("./owner.ts", import.meta.url).href;
  const script = `const { systemProcesses } = await import(${JSON.stringify(module)});
    const { self, ticksMs } = systemProcesses(); console.log(JSON.stringify([self.realm ?? null, ticksMs()]));`;
  const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "--eval", script]);
  const [chunk] = (await once(child.stdout, "data")) as [Buffer];
  const [realm, ticks] = JSON.parse(chunk.toString()) as [string | null, number];
  const after = ticksMs();
  expect(after).toBeGreaterThanOrEqual(before);
  expect(realm).toBe(self.realm ?? null);
  if (!onLinux) return;
  expect(ticks).toBeGreaterThanOrEqual(before);
  expect(ticks).toBeLessThanOrEqual(after);
});
