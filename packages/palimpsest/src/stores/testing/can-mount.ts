import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** "yes", or why a test with a disk of its own is skipped. */
export function canMount(): string {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "skipped: mounting needs root on Linux";
  const at = mkdtempSync(join(tmpdir(), "mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", at], { stdio: "ignore" });
    execFileSync("umount", [at]);
    return "yes";
  } catch {
    return "skipped: mount is not permitted here";
  } finally {
    rmSync(at, { recursive: true, force: true });
  }
}
