import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createPathGuard, loadSettings, openSessionSandbox, placesOf } from "palimpsest-agent";
import type { Bench } from "../bench.ts";
import { median } from "../statistics.ts";

/** Starts a command as the agent does, and as plain bubblewrap with the same mounts does: what the policy itself costs. */
export const sandboxBench: Bench = {
  name: "sandbox",
  figures: "waits",
  about: "a command in the sandbox, against plain bubblewrap with the same mounts",
  async run({ size }) {
    const base = await realpath(await mkdtemp("/var/tmp/palimpsest-bench-"));
    try {
      const [folder, home] = [join(base, "project"), join(base, "home")];
      for (const path of [".git/hooks", ".git/objects", "src/a/b", "packages/one/src"]) {
        await mkdir(join(folder, path), { recursive: true });
      }
      await mkdir(home);
      await writeFile(join(folder, ".git/config"), "[core]\n");
      const places = placesOf(folder, { HOME: home });
      const guard = await createPathGuard(folder);
      const { settings } = await loadSettings({ guard, agentHome: places.agentHome });
      const environment = { ...process.env, HOME: home };
      const sessionFolder = places.folderOf("bench");
      const sandbox = await openSessionSandbox({ settings, guard, places, sessionFolder, environment });
      if (sandbox.kind === "none") throw new Error(sandbox.reason);
      const [enclosedMs, plainMs]: [number[], number[]] = [[], []];
      let mounts = 0;
      const rounds = size === "quick" ? 15 : 60;
      for (let round = -2; round < rounds; round++) {
        const started = performance.now();
        const { startedBy, filterFile, limits, finish } = await sandbox.enclose({ folder, hosts: [] });
        await run("/bin/sh", [
          "-c",
          'exec 4<"$0" "$@"',
          filterFile,
          ...startedBy,
          "/bin/bash",
          "-c",
          `${limits}; true`,
        ]);
        await finish();
        const between = performance.now();
        const plain = startedBy.filter((word, at) => word !== "--seccomp" && startedBy[at - 1] !== "--seccomp");
        await run(plain[0]!, [...plain.slice(1), "/bin/bash", "-c", "true"]);
        // The first ones also make the session's own files.
        if (round < 0) continue;
        enclosedMs.push(between - started);
        plainMs.push(performance.now() - between);
        mounts = startedBy.filter((word) => /^--(ro-)?bind$|^--tmpfs$/.test(word)).length;
      }
      const [enclosed, plain] = [median(enclosedMs), median(plainMs)];
      return { rounds, mounts, enclosed_ms: enclosed, plain_bwrap_ms: plain, ratio: enclosed / plain };
    } finally {
      await rm(base, { recursive: true, force: true });
    }
  },
};

const run = promisify(execFile);
