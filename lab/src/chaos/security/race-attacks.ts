import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Attack, Family } from "./attack.ts";
import { FILE_TOOLS, inputOf, READ_FIRST } from "./file-tools.ts";
import { inPlayground, type Playground } from "./playground.ts";

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
const MS_PER_RACE = 2_500;
/** Paths below the folder that is exchanged; an attempt has a number. */
const PATHS: readonly ((attempt: number) => string)[] = [
  () => "swap/file.txt",
  (attempt) => `swap/new-${attempt}.txt`,
  () => "swap/deep/file.txt",
  () => "sub/../swap/file.txt",
];

interface Race extends Playground {
  readonly swapper: ChildProcess;
}

/** Tools work below a folder that becomes a link to the outside, and a folder again, all the time. */
export const races: Family<Race> = {
  name: "races",
  guard: "roots",
  from: import.meta.url,
  inWorld: (act) =>
    inPlayground(
      async (playground) => {
        const { folder, outside } = playground;
        await mkdir(join(folder, "real/deep"), { recursive: true });
        for (const path of ["real/file.txt", "real/deep/file.txt"]) await writeFile(join(folder, path), "inside\n");
        await symlink(outside, join(folder, "link"));
        const swapper = spawn(process.execPath, ["-e", SWAPPER, folder], { stdio: "ignore" });
        try {
          return await act({ ...playground, swapper });
        } finally {
          swapper.kill("SIGKILL");
        }
      },
      { shell: "none" },
    ),
  attacks: ({ use, swapper, canaries }) =>
    FILE_TOOLS.flatMap((tool) =>
      PATHS.map(
        (pathOf): Attack => ({
          name: `${tool} ${pathOf(0)} in a race`,
          async run() {
            const end = performance.now() + MS_PER_RACE;
            for (let attempt = 0; performance.now() < end; attempt++) {
              const path = pathOf(attempt);
              const folder = path.replace(/\/[^/]*$/, "");
              const input =
                tool === "Glob"
                  ? { pattern: "**/file.txt", path: folder }
                  : inputOf(tool, tool === "Grep" ? folder : path);
              if (READ_FIRST.includes(tool)) await use("Read", { file_path: path }).catch(String);
              const got = await use(tool, input).catch(String);
              if (/CANARY-|outside\//m.test(got)) return got;
              if ((await canaries.check("")).length > 0) return "something outside was changed";
            }
            if (swapper.exitCode !== null) throw new Error(`nobody exchanged links: ended with ${swapper.exitCode}`);
            return "";
          },
          harm: (said) => (/CANARY-|^something/.test(said) ? "something outside was seen or changed" : undefined),
        }),
      ),
    ),
};
