import { execFileSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Attack, Family } from "./attack.ts";
import { FILE_TOOLS, type FileTool, inputOf, READ_FIRST } from "./file-tools.ts";
import { inPlayground, type Playground } from "./playground.ts";

/** Links that lead out of the project, to files, folders, each other and nothing; and files that are none. */
export const links: Family<Playground> = {
  name: "links",
  guard: "roots",
  from: import.meta.url,
  inWorld: (act) =>
    inPlayground(async (playground) => {
      for (const [name, target] of linksIn(playground)) await symlink(target, join(playground.folder, name));
      await makeOddFiles(playground.folder);
      return act(playground);
    }),
  attacks(playground) {
    const below = linksIn(playground).map(([name, , rest]) => name + rest);
    return [...below, ...ODD_FILES].flatMap((path) => FILE_TOOLS.map((tool) => attackBy(tool, path, playground)));
  },
};

function linksIn({ base, home, outside }: Playground): readonly [name: string, target: string, below: string][] {
  return [
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
}

/** A pipe that nobody writes to, devices, a socket: a program that opens them may wait for ever. */
const ODD_FILES = ["pipe", "zero", "stdin", "environ", "socket"];

async function makeOddFiles(folder: string): Promise<void> {
  execFileSync("mkfifo", [join(folder, "pipe")]);
  await symlink("/dev/zero", join(folder, "zero"));
  await symlink("/dev/stdin", join(folder, "stdin"));
  await symlink("/proc/self/environ", join(folder, "environ"));
  const server = createServer().listen(join(folder, "socket"));
  await new Promise((resolve) => server.once("listening", resolve));
  server.unref();
}

function attackBy(tool: FileTool, path: string, { use }: Playground): Attack {
  let elapsedMs = 0;
  return {
    name: `${tool} ${path}`,
    async run() {
      const startedAt = performance.now();
      try {
        if (READ_FIRST.includes(tool)) await use("Read", { file_path: path }).catch(String);
        return await use(tool, inputOf(tool, path));
      } finally {
        elapsedMs = performance.now() - startedAt;
      }
    },
    harm: () => (elapsedMs > 15_000 ? `it took ${Math.round(elapsedMs)} ms` : undefined),
  };
}
