import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Subject } from "./subject.ts";

const FOLDER = new URL("../../peers/", import.meta.url);

/** The libraries that are measured beside ours. They are a package of their own, because few need it and it is large. */
export async function loadPeers(): Promise<readonly Subject[]> {
  if (!existsSync(new URL("node_modules/", FOLDER))) {
    const folder = fileURLToPath(FOLDER);
    console.error(`Installing the other libraries into ${folder}node_modules (some 200 MB). Delete it when you like.`);
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder], {
      stdio: ["ignore", 2, 2],
      shell: process.platform === "win32",
    });
  }
  const { peers } = (await import(new URL("peers.ts", FOLDER).href)) as { peers: readonly Subject[] };
  return peers;
}
