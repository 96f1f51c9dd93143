import { execFileSync, spawn } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { type Attacked, type Attempt, tryAll } from "./attempt.ts";
import { inPlayground, type Playground } from "./playground.ts";

const TOOLS = ["Read", "Write", "Edit", "Grep", "Glob"] as const;
type FileTool = (typeof TOOLS)[number];

/** Links that lead out of the project, to files, folders, each other and nothing; and files that are none. */
export function attackLinks(): Promise<Attacked> {
  return inPlayground(async (playground) => {
    const { folder, base, home, outside, canaries } = playground;
    const links: readonly [name: string, target: string, below: string][] = [
      ["to-file", join(outside, "file.txt"), ""],
      ["to-file-relative", "../outside/file.txt", ""],
      ["to-folder", outside, "/file.txt"],
      ["to-folder-relative", "../outside", "/deep/file.txt"],
      ["to-parent", "..", "/outside/file.txt"],
      ["to-root", "/", `${outside}/file.txt`],
      ["to-key", join(home, ".ssh/id_rsa"), ""],
      ["to-link", "to-folder", "/file.txt"],
      ["to-nothing", join(outside, "new.txt"), ""],
      ["to-new-folder", join(outside, "new"), "/file.txt"],
      ["through-proc", "/proc/self/root", `${outside}/file.txt`],
      ["to-itself", "to-itself", "/file.txt"],
      ["to-base", base, "/project-backup/file.txt"],
    ];
    for (const [name, target] of links) await symlink(target, join(folder, name));
    const paths = links.map(([name, , below]) => name + below);
    const odd = await oddFiles(folder);
    const attempts = [...paths, ...odd].flatMap((path) => TOOLS.map((tool) => attempt(tool, path, playground)));
    return tryAll(attempts, canaries);
  });
}

/** A pipe that nobody writes to, a socket, devices: whoever opens them may wait for ever. */
async function oddFiles(folder: string): Promise<readonly string[]> {
  execFileSync("mkfifo", [join(folder, "pipe")]);
  await symlink("/dev/zero", join(folder, "zero"));
  await symlink("/dev/stdin", join(folder, "stdin"));
  await symlink("/proc/self/environ", join(folder, "environ"));
  const server = createServer().listen(join(folder, "socket"));
  await new Promise((resolve) => server.once("listening", resolve));
  server.unref();
  return ["pipe", "zero", "stdin", "environ", "socket"];
}

function attempt(tool: FileTool, path: string, { use }: Playground): Attempt {
  let elapsedMs = 0;
  return {
    name: `${tool} ${path}`,
    async run() {
      const startedAt = performance.now();
      try {
        return await use(tool, inputOf(tool, path));
      } finally {
        elapsedMs = performance.now() - startedAt;
      }
    },
    harm: () => (elapsedMs > 15_000 ? `it took ${Math.round(elapsedMs)} ms` : undefined),
  };
}

function inputOf(tool: FileTool, path: string): object {
  switch (tool) {
    case "Read":
      return { file_path: path };
    case "Write":
      return { file_path: path, content: "overwritten" };
    case "Edit":
      return { file_path: path, old_string: "CANARY", new_string: "overwritten" };
    case "Grep":
      return { pattern: "CANARY.*", path, output_mode: "lines" };
    case "Glob":
      return { pattern: "**/id_rsa", path };
  }
}

/** Exchanges a folder for a link to the outside and back, as fast as it goes. What a tool makes in its place is put aside. */
const SWAPPER = `
  const { renameSync } = require("node:fs");
  process.chdir(process.argv[1]);
  let aside = 0;
  for (;;) for (const name of ["real", "link"]) {
    try { renameSync(name, "swap"); } catch { renameSync("swap", "aside-" + aside++); continue; }
    renameSync("swap", name);
  }
`;

export interface Raced extends Attacked {
  /** How often a tool was used meanwhile. A case is all that one tool does in its time. */
  readonly attempts: number;
}

/** Tools work below a folder that becomes a link to the outside, and a folder again, all the time. */
export function raceLinks(msPerTool: number): Promise<Raced> {
  return inPlayground(async (playground) => {
    const { folder, outside, canaries, sandbox } = playground;
    await mkdir(join(folder, "real"));
    await writeFile(join(folder, "real/file.txt"), "inside\n");
    await symlink(outside, join(folder, "link"));
    const swapper = spawn(process.execPath, ["-e", SWAPPER, folder], { stdio: "ignore" });
    let attempts = 0;
    try {
      // Without a sandbox a search has no defense against this, and none is claimed.
      const tools = sandbox.kind === "none" ? TOOLS.filter((tool) => tool !== "Grep" && tool !== "Glob") : TOOLS;
      const races = tools.map(
        (tool): Attempt => ({
          name: `${tool} in a race`,
          async run() {
            let said = "";
            for (const end = performance.now() + msPerTool; performance.now() < end; attempts++) {
              const path =
                tool === "Grep" || tool === "Glob"
                  ? "swap"
                  : `swap/${attempts % 2 === 0 ? "file.txt" : `new-${attempts}.txt`}`;
              const input = tool === "Glob" ? { pattern: "deep/*", path } : inputOf(tool, path);
              const got = await playground.use(tool, input).catch(String);
              if (/CANARY-|^deep\/file/m.test(got)) said += `${got}\n`;
            }
            return said;
          },
          harm: (said) => (said === "" ? undefined : "something outside was seen"),
        }),
      );
      const raced = await tryAll(races, canaries);
      if (swapper.exitCode !== null) throw new Error(`nobody exchanged links: ended with ${swapper.exitCode}`);
      return { ...raced, attempts, ...(sandbox.kind === "none" ? { skipped: `searches: ${sandbox.reason}` } : {}) };
    } finally {
      swapper.kill("SIGKILL");
    }
  });
}
