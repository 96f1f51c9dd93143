import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { startWithUs } from "../test-server/start-with-us.ts";
import { unprivilegedUser } from "../test-server/unprivileged-user.ts";

/** The port in the name of its socket. */
const PORT = 6432;

export interface StartedPgbouncer {
  readonly host: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a pooler in transaction mode before a server: every transaction may be on another of its few connections. */
export async function startPgbouncer(
  server: { readonly host: string },
  users: readonly string[],
): Promise<StartedPgbouncer> {
  const user = unprivilegedUser();
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-pgbouncer-"));
  const settings = join(folder, "pgbouncer.ini");
  writeFileSync(join(folder, "users"), users.map((name) => `"${name}" ""\n`).join(""), { mode: 0o644 });
  writeFileSync(
    settings,
    `[databases]
postgres = host=${server.host} pool_size=3
[pgbouncer]
pool_mode = transaction
unix_socket_dir = ${folder}
listen_port = ${PORT}
auth_type = trust
auth_file = ${join(folder, "users")}
`,
    { mode: 0o644 },
  );
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const child = startWithUs(["pgbouncer", settings], { cwd: folder, user });
  while (!existsSync(join(folder, `.s.PGSQL.${PORT}`))) {
    child.assertRunning();
    await wait(20);
  }
  return {
    host: folder,
    port: PORT,
    async stop() {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
