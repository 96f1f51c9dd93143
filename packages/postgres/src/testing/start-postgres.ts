import { execFileSync, spawn } from "node:child_process";
import { chownSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

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
  const user = findUser();
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-postgres-"));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const initialize = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  execFileSync(join(programs, "initdb"), initialize, { ...user, cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  const settings = { listen_addresses: "", unix_socket_directories: folder, fsync, max_connections: "100" };
  const server = ["-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  // The shell reads until this process closes the pipe or is gone, whatever ends it.
  const script = '"$@" & server=$!; cat >/dev/null; kill -INT $server; wait $server';
  const child = spawn("sh", ["-c", script, "sh", join(programs, "postgres"), ...server], {
    ...user,
    cwd: folder,
    stdio: ["pipe", "ignore", "pipe"],
  });
  let told = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    told = (told + text).slice(-4_000);
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  while (!isReady(data)) {
    if (child.exitCode !== null || /FATAL/.test(told)) throw new Error(`PostgreSQL did not start: ${told}`);
    await wait(20);
  }
  return {
    host: folder,
    user: "postgres",
    async stop() {
      child.stdin.end();
      await ended;
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

/** PostgreSQL refuses to run as root; its package brings a user. */
function findUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
