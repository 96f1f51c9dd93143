import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { loadSettings, trustFile } from "palimpsest-agent";
import type { Attack, Family } from "./attack.ts";
import { inPlayground, type Playground } from "./playground.ts";

/** Whatever the umask, nobody else can read what we keep of a session: its files are made private, not left to be so. */
export const modes: Family<Playground> = {
  name: "modes",
  guard: "private modes",
  from: import.meta.url,
  inWorld: inPlayground,
  attacks(playground) {
    const { agentHome } = playground;
    return [0o000, 0o002, 0o022, 0o077].flatMap((umask) =>
      usesOf(playground).map(
        ([name, act]): Attack => ({
          name: `${name} under umask ${umask.toString(8)}`,
          async run() {
            for (const path of ["session", "trust.json"])
              await rm(join(agentHome, path), { recursive: true, force: true });
            const before = process.umask(umask);
            try {
              await act();
            } finally {
              process.umask(before);
            }
            return `open to others: ${(await openToOthers(agentHome)).join(", ")}`;
          },
          harm: (said) => (said === "open to others: " ? undefined : said),
        }),
      ),
    );
  },
};

function usesOf({ use, agentHome, guard, folder }: Playground): readonly [string, () => Promise<unknown>][] {
  return [
    [
      "a checkpoint",
      async () => {
        await use("Read", { file_path: "inside.txt" });
        await use("Write", { file_path: "new.txt", content: "new" });
      },
    ],
    ["a command", () => use("Bash", { command: "echo x > /tmp/x" })],
    ["a command in the background", () => use("Bash", { command: "echo x", run_in_background: true })],
    ["trust", () => trustFile({ path: join(folder, "x"), hash: "h" }, agentHome)],
    ["settings", () => loadSettings({ guard, agentHome })],
  ];
}

/** What others could reach: a file that is not private, in folders of which none is. What a command made in its /tmp is its own. */
async function openToOthers(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const facts = await lstat(path);
    if ((facts.mode & 0o077) !== 0) found.push(path);
    else if (facts.isDirectory() && name !== "tmp") found.push(...(await openToOthers(path)));
  }
  return found;
}
