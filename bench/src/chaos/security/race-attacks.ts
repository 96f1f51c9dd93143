import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Attack, Family } from "./attack.ts";
import { FILE_TOOLS, inputOf } from "./file-tools.ts";
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

interface Race extends Playground {
  readonly swapper: ChildProcess;
}

/** Tools work below a folder that becomes a link to the outside, and a folder again, all the time. One case per tool. */
export function races(msPerTool: number, onAttempt: () => void): Family<Race> {
  return {
    name: "races",
    inWorld: (guards, act) =>
      inPlayground(guards, async (playground) => {
        const { folder, outside } = playground;
        await mkdir(join(folder, "real"));
        await writeFile(join(folder, "real/file.txt"), "inside\n");
        await symlink(outside, join(folder, "link"));
        const swapper = spawn(process.execPath, ["-e", SWAPPER, folder], { stdio: "ignore" });
        try {
          return await act({ ...playground, swapper });
        } finally {
          swapper.kill("SIGKILL");
        }
      }),
    attacks: ({ use, swapper }) =>
      FILE_TOOLS.map(
        (tool): Attack => ({
          name: `${tool} in a race`,
          async run() {
            let said = "";
            let attempts = 0;
            for (const end = performance.now() + msPerTool; performance.now() < end; attempts++) {
              onAttempt();
              const path =
                tool === "Grep" || tool === "Glob"
                  ? "swap"
                  : `swap/${attempts % 2 === 0 ? "file.txt" : `new-${attempts}.txt`}`;
              const input = tool === "Glob" ? { pattern: "deep/*", path } : inputOf(tool, path);
              const got = await use(tool, input).catch(String);
              if (/CANARY-|^deep\/file/m.test(got)) said += `${got}\n`;
            }
            if (swapper.exitCode !== null) throw new Error(`nobody exchanged links: ended with ${swapper.exitCode}`);
            return said;
          },
          harm: (said) => (said === "" ? undefined : "something outside was seen"),
        }),
      ),
  };
}
