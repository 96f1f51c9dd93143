import { execFile, spawn } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { AttackedAgent, AttackOptions } from "./attack-agent.ts";

/** `nobody` on Linux. */
const NOBODY = 65_534;

export type Attacker = "self" | "nobody";

/** Makes the attacks in a process of its own, as the user of this one or as one without any rights, which only root can become. */
export async function attackAs(attacker: Attacker, { atMost, only, say }: AttackOptions): Promise<AttackedAgent> {
  const scratch = await mkdtemp("/var/tmp/palimpsest-attacker-");
  try {
    await chmod(scratch, 0o755);
    // This Node may lie in root's home, where nobody else can start it.
    const node = join(scratch, "node");
    // By another process: one that this process starts meanwhile would inherit the file open for writing, and then it cannot be started.
    await promisify(execFile)("cp", [process.execPath, node]);
    const script = fileURLToPath(new URL("./attack-process.ts", import.meta.url));
    const args = ["--conditions=palimpsest-source", "--no-warnings", script, String(atMost), ...(only ? [only] : [])];
    const child = spawn(node, args, {
      ...(attacker === "nobody" ? { uid: NOBODY, gid: NOBODY } : {}),
      cwd: "/",
      env: { PATH: `${scratch}:${process.env["PATH"]}`, HOME: scratch, LANG: "C.UTF-8" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const errors: string[] = [];
    createInterface(child.stderr).on("line", (line) => {
      errors.push(line);
      if (/^(attacking| {2}(ESCAPED|attacked))/.test(line)) say(`${attacker}: ${line}`);
    });
    const said = await text(child.stdout);
    if (said === "") throw new Error(`The attacks could not be made as ${attacker}: ${errors.slice(-5).join("\n")}`);
    return JSON.parse(said) as AttackedAgent;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
