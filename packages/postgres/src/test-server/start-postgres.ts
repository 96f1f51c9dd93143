import { execFileSync } from "node:child_process";
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type StartedProgram, startWithUs } from "./start-with-us.ts";
import { unprivilegedUser } from "./unprivileged-user.ts";

export interface StartedPostgres {
  /** The folder of its socket: `host` for `pg`. It listens on no port, so that any number of them run beside each other. */
  readonly host: string;
  readonly user: "postgres";
  /** Shuts the server down in an instant, as a power cut would, and starts it again. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

export interface StartPostgresOptions {
  /** `on` as in production: for what is measured, and for what is killed. @default "off" */
  readonly fsync?: "on" | "off";
  /** Further settings of the server, by name. @default none */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where its folder is made. @default where the system has temporary files */
  readonly within?: string;
  /** Fills the folder of the server's data: with a backup, to see that it can be restored. @default an empty database */
  readonly fill?: (data: string) => void;
}

/** Starts a real PostgreSQL of its own, with nothing in it. It ends with `stop`, or with this process, however that ends. */
export async function startPostgres(options: StartPostgresOptions = {}): Promise<StartedPostgres> {
  const programs = findPrograms();
  const user = unprivilegedUser();
  const folder = mkdtempSync(join(options.within ?? tmpdir(), "palimpsest-postgres-"));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const fill = options.fill ?? onceInARun(programs, (empty) => initialize(programs, empty));
  fill(data);
  const { fsync = "off" } = options;
  const settings = {
    listen_addresses: "",
    unix_socket_directories: folder,
    fsync,
    max_connections: "100",
    ...options.settings,
  };
  const server = ["-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  const start = async (): Promise<StartedProgram> => {
    const child = startWithUs([join(programs, "postgres"), ...server], { cwd: folder, user });
    while (readState(data).state !== "ready") {
      child.assertRunning();
      await wait(20);
    }
    return child;
  };
  let child = await start();
  return {
    host: folder,
    user: "postgres",
    async crash() {
      if (child.state() === "running") process.kill(readState(data).pid, "SIGQUIT");
      await child.stop();
      // Left behind by the crash; a new server waits for nothing else.
      rmSync(join(data, "postmaster.pid"), { force: true });
      child = await start();
    },
    async stop() {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function initialize(programs: string, data: string): void {
  const args = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  execFileSync(join(programs, "initdb"), args, {
    ...unprivilegedUser(),
    cwd: dirname(data),
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** Where tests have a folder for what they share, an empty database is made once, and copied then: that takes a tenth of the time. */
function onceInARun(programs: string, fill: (data: string) => void): (data: string) => void {
  const shared = process.env["PALIMPSEST_RUN_FOLDER"];
  if (shared === undefined) return fill;
  // Each version of the programs has its own.
  const kept = join(shared, `empty${programs.replaceAll("/", "-")}`);
  const copy = (from: string, to: string) => execFileSync("cp", ["-a", from, to]);
  return (data) => {
    if (existsSync(kept)) return void copy(kept, data);
    fill(data);
    const mine = mkdtempSync(`${kept}-`);
    copy(data, join(mine, "data"));
    try {
      renameSync(join(mine, "data"), kept);
    } catch (error) {
      // Of several that make one at the same time, the first is kept.
      if (!existsSync(kept)) throw error;
    }
    rmSync(mine, { recursive: true });
  };
}

/** As the server's own file says. */
function readState(data: string): { readonly pid: number; readonly state: string | undefined } {
  try {
    const lines = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
    return { pid: Number(lines[0]), state: lines[7]?.trim() };
  } catch {
    return { pid: 0, state: undefined };
  }
}

/** The folder of PostgreSQL's programs: the one that PALIMPSEST_POSTGRES_PROGRAMS names, or that of the newest version installed. */
export function findPrograms(): string {
  const named = process.env["PALIMPSEST_POSTGRES_PROGRAMS"];
  if (named !== undefined) return named;
  const [newest] = globSync("/usr/lib/postgresql/*/bin").sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  if (newest !== undefined) return newest;
  return execFileSync("pg_config", ["--bindir"], { encoding: "utf8" }).trim();
}
