import { execFileSync } from "node:child_process";

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL and its pooler refuse to run as root; their package brings a user. Undefined where this process is not root. */
export function unprivilegedUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
