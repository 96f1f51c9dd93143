import { execFileSync } from "node:child_process";

/** Throws where the machine does not let us. */
export function mount(...args: readonly string[]): void {
  execFileSync("mount", args, { stdio: "pipe" });
}

export function unmount(folder: string): void {
  execFileSync("umount", ["--lazy", folder], { stdio: "pipe" });
}
