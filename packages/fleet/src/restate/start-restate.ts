import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** A Restate server for tests. `crash` kills it, as a machine would die. */
export interface StartedRestate {
  /** Where it takes requests: `ingressUrl` of `restateScheduler`. */
  readonly ingressUrl: string;
  readonly adminUrl: string;
  /** Registers workers, which must be listening. Any number of them may listen behind one address. */
  register(workersUrl: string): Promise<void>;
  /** Kills the server, as a power cut would, and starts it again. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

interface Program {
  readonly pid: number;
  /** Throws with what the program said, if it has ended. */
  assertRunning(): void;
  stop(): Promise<void>;
}

/** The shell says the server's number, and ends the server when our end of the pipe is closed, however this process ends. */
const SCRIPT = '"$@" </dev/null & echo $!; cat >/dev/null; kill -KILL $!';
const START_WITHIN_MS = 60_000;

/** Starts a real Restate of its own: for tests. Needs `@restatedev/restate-server`. */
export async function startRestate(): Promise<StartedRestate> {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-restate-"));
  const [ingress, admin, node] = await freePorts(3);
  const env = {
    ...process.env,
    RESTATE_INGRESS__BIND_PORT: `${ingress}`,
    RESTATE_ADMIN__BIND_PORT: `${admin}`,
    RESTATE_BIND_PORT: `${node}`,
    RESTATE_BIND_IP: "127.0.0.1",
    RESTATE_ADVERTISED_HOST: "127.0.0.1",
    RESTATE_DEFAULT_NUM_PARTITIONS: "1",
    RESTATE_DISABLE_TELEMETRY: "true",
  };
  const [ingressUrl, adminUrl] = [`http://127.0.0.1:${ingress}`, `http://127.0.0.1:${admin}`];
  const start = async (): Promise<Program> => {
    const program = await startProgram(
      [serverProgram(), "--base-dir", folder, "--node-name", "test", "--no-logo"],
      env,
    );
    const endMs = Date.now() + START_WITHIN_MS;
    while (!((await isHealthy(`${adminUrl}/health`)) && (await isHealthy(`${ingressUrl}/restate/health`)))) {
      program.assertRunning();
      if (Date.now() > endMs) throw new Error(`Restate did not start within ${START_WITHIN_MS / 1_000} s.`);
      await wait(50);
    }
    return program;
  };
  let program = await start();
  return {
    ingressUrl,
    adminUrl,
    async register(workersUrl) {
      const response = await fetch(`${adminUrl}/deployments`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ uri: workersUrl, use_http_11: true, force: true }),
      });
      if (!response.ok) throw new Error(`Restate does not register ${workersUrl}: ${await response.text()}`);
    },
    async crash() {
      process.kill(program.pid, "SIGKILL");
      await program.stop();
      program = await start();
    },
    async stop() {
      await program.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The program itself, not the script that starts it. */
function serverProgram(): string {
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`;
  try {
    const require = createRequire(createRequire(import.meta.url).resolve("@restatedev/restate-server/package.json"));
    return require.resolve(name);
  } catch (cause) {
    const todo = "npm install --save-dev @restatedev/restate-server. It exists for Linux and macOS.";
    throw new Error(`There is no Restate server for ${process.platform} ${process.arch} here: ${todo}`, { cause });
  }
}

async function startProgram(command: readonly string[], env: NodeJS.ProcessEnv): Promise<Program> {
  const child = spawn("sh", ["-c", SCRIPT, "sh", ...command], { env, stdio: ["pipe", "pipe", "pipe"] });
  let told = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      told = (told + text).slice(-4_000);
    });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const pid = await new Promise<number>((resolve) =>
    child.stdout.once("data", (text: string) => resolve(Number.parseInt(text, 10))),
  );
  return {
    pid,
    assertRunning() {
      try {
        process.kill(pid, 0);
      } catch {
        throw new Error(`${command[0]} did not start: ${told}`);
      }
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

async function isHealthy(url: string): Promise<boolean> {
  const response = await fetch(url).catch(() => undefined);
  await response?.body?.cancel();
  return response?.ok === true;
}

/** Below the ports that systems give to connections, also to those that are made before somebody listens here. */
const OWN_PORTS = { from: 12_000, count: 20_000 };

/** Ports that nobody listens on. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = OWN_PORTS.from + randomInt(OWN_PORTS.count);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  if (isListening) await new Promise((resolve) => server.close(resolve));
  return isListening;
}
