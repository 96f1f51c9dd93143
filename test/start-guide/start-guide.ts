import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect } from "vitest";
import { startGuideCommands } from "./commands.ts";

export interface NewcomersMachine {
  /** The repository, which the newcomer has cloned to `~/palimpsest`. */
  readonly repository: string;
  /** A folder with nothing but the tarballs, in `packed`. */
  readonly folder: string;
  /** With an empty home, and the programs of the first command in the path. */
  readonly environment: NodeJS.ProcessEnv;
}

/** What a newcomer reads on the screen after a command. */
const SEEN: Readonly<Record<string, RegExp>> = {
  "palimpsest demo": /set an API key/,
  "create-palimpsest my-agent": /npm start/,
  'npm start "Which files are here?"': /agent\.ts[\s\S]*% of the window left/,
};

/** It takes a minute of the processors: docs-as-a-site.slow.test.ts and a job of its own beside the gate (.github/workflows) build it. */
export const SITE_COMMAND = "npm run site";

/**
 * Types the commands of docs/start.md after the first, which installs the programs: the demo, an agent of one's own, the inspector on its
 * session. The last one, which builds the docs as a site, is left out.
 */
export async function followStartGuide({ repository, folder, environment }: NewcomersMachine): Promise<void> {
  const home = environment["HOME"]!;
  symlinkSync(repository, join(home, "palimpsest"));
  const [install, ...commands] = startGuideCommands();
  expect(install).toMatch(/^npm install --global /);
  expect(commands.length).toBeLessThan(10);
  expect(commands.pop()).toBe(SITE_COMMAND);
  let cwd = folder;
  for (const command of commands) {
    const place = /^cd (\S+)$/.exec(command)?.[1];
    if (place !== undefined) cwd = resolve(cwd, place.replace("~", home));
    else if (command.startsWith("palimpsest inspect ")) await inspect(command, { cwd, environment });
    else expect(await output(command, { cwd, environment }), command).toMatch(SEEN[command] ?? /^/);
  }
  expect(Object.keys(SEEN).filter((command) => !commands.includes(command))).toEqual([]);
}

interface Shell {
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
}

async function output(command: string, { cwd, environment }: Shell): Promise<string> {
  const { stdout } = await promisify(execFile)("bash", ["-c", command], { cwd, env: environment, maxBuffer: 1e8 });
  return stdout;
}

/** Goes to the address that the command prints, as a browser would, and looks at the newest request of the only session. */
async function inspect(command: string, { cwd, environment }: Shell): Promise<void> {
  const child = spawn("bash", ["-c", `exec ${command}`], { cwd, env: environment, stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<number | null>((done) => child.once("close", done));
  try {
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    const address = new URL(line);
    const token = new URLSearchParams(address.hash.slice(1)).get("token")!;
    const entered = await fetch(`${address.origin}/api/enter`, { method: "POST", body: token });
    const cookie = entered.headers.getSetCookie()[0]!.split(";")[0]!;
    const get = async (path: string): Promise<string> =>
      (await fetch(`${address.origin}${path}`, { headers: { cookie } })).text();
    expect(await get("/")).toContain("<html");
    const { sessions } = JSON.parse(await get("/api/sessions"));
    expect(sessions).toMatchObject([{ id: "my-agent", title: "Which files are here?" }]);
    const at = `/api/sessions/${sessions[0].key}`;
    await get(at);
    const { points } = JSON.parse(await get(`${at}/timeline`));
    expect(JSON.parse(await get(`${at}/requests/${points.at(-1).entry}/body`)).text).toContain("agent.ts");
  } finally {
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  }
}
