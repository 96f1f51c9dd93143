import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";

test("a tmux server and its programs end with the process that controls it, even by a kill", async () => {
  const client = ["-L", `palimpsest-${randomUUID().slice(0, 8)}`, "-f", "/dev/null"];
  onTestFinished(() => void spawnSync("tmux", [...client, "kill-server"]));
  execFileSync("tmux", [...client, "new-session", "-d", "-s", "main", "sleep 1000"]);
  const program = `
    import { controlTmux } from "${new URL("tmux-control.ts", import.meta.url)}";
    const attach = ["tmux", ...${JSON.stringify(client)}, "-C", "attach", "-t", "main"];
    const { run } = controlTmux(attach, { cwd: "/", env: process.env });
    console.log(await run("display-message", "-p", "attached"));
  `;
  const controlling = spawn(process.execPath, ["--input-type=module", "-e", program]);
  const [attached] = await once(controlling.stdout, "data");
  expect(String(attached).trim()).toBe("attached");
  const isServing = (): boolean => spawnSync("tmux", [...client, "has-session"]).status === 0;
  expect(isServing()).toBe(true);
  controlling.kill("SIGKILL");
  await expect.poll(isServing, { interval: 100 }).toBe(false);
});
