import { execFileSync } from "node:child_process";
import { chownSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { startWithUs } from "./start-with-us.ts";
import { unprivilegedUser } from "./unprivileged-user.ts";

export interface StartedPostgres {
  /** The folder of its socket: `host` for `pg`. It listens on no port, so that any number of them run beside each other. */
  readonly host: string;
  readonly user: "postgres";
  stop(): Promise<void>;
}

export interface StartPostgresOptions {
  /** `on` as in production: for what is measured, and for what is killed. @default "off" */
  readonly fsync?: "on" | "off";
}

/** Starts a real PostgreSQL of its own, with nothing in it. It ends with `stop`, or with this process, however that ends. */
export async function startPostgres({ fsync = "off" }: StartPostgresOptions = {}): Promise<StartedPostgres> {
  const programs = findPrograms();
  const user = unprivilegedUser();
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-postgres-"));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const initialize = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  execFileSync(join(programs, "initdb"), initialize, { ...user, cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  const settings = { listen_addresses: "", unix_socket_directories: folder, fsync, max_connections: "100" };
  const server = ["-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  const child = startWithUs([join(programs, "postgres"), ...server], { cwd: folder, user });
  while (!isReady(data)) {
    child.assertRunning();
    await wait(20);
  }
  return {
    host: folder,
    user: "postgres",
    async stop() {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The last line of its own file says so. */
function isReady(data: string): boolean {
  try {
    return readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[7]?.trim() === "ready";
  } catch {
    return false;
  }
}

function findPrograms(): string {
  const [newest] = globSync("/usr/lib/postgresql/*/bin").sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  if (newest !== undefined) return newest;
  return execFileSync("pg_config", ["--bindir"], { encoding: "utf8" }).trim();
}
