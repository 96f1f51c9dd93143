import { statfs } from "node:fs/promises";

const INTERVAL_MS = 1_000;

/**
 * Looks at the free space of a file system while a command runs: a full disk is everybody's, and no limit of a process covers many
 * files. A disk that was full before is not the command's doing.
 * @returns ends it
 */
export function guardDisk(folder: string, minFreeBytes: number, onFull: () => void): () => void {
  let atStart: "enough" | "little" | "unknown" = "unknown";
  async function look(): Promise<void> {
    const { bavail, bsize } = await statfs(folder);
    const isEnough = bavail * bsize >= minFreeBytes;
    if (atStart === "unknown") atStart = isEnough ? "enough" : "little";
    else if (atStart === "enough" && !isEnough) onFull();
  }
  const start = look().catch(() => undefined);
  const timer = setInterval(() => void start.then(look).catch(() => undefined), INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
