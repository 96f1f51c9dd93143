import { createHash } from "node:crypto";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";

export interface CanaryOptions {
  /** Folders in which nothing may change. */
  readonly watched: readonly string[];
  /** Texts that nobody may get to see. */
  readonly secrets: readonly string[];
}

/** What shows that something got out, whatever was returned: files that change, secrets that are seen, a port that is reached. */
export interface Canaries {
  /** Nobody may connect to it, on any address of this machine. */
  readonly port: number;
  /** What has got out since the last time, one line each. */
  check(said: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function setCanaries({ watched, secrets }: CanaryOptions): Promise<Canaries> {
  let connections = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    connections++;
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => undefined);
    socket.end(`HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${secrets[0]}`);
  });
  const port = await listen(server);
  let before = await fingerprint(watched);
  return {
    port,
    async check(said) {
      const now = await fingerprint(watched);
      const changed = [...new Set([...before.keys(), ...now.keys()])].filter(
        (path) => before.get(path) !== now.get(path),
      );
      before = now;
      const reached = connections;
      connections = 0;
      return [
        ...changed.map((path) => `${path} has changed`),
        ...secrets.filter((secret) => said.includes(secret)).map((secret) => `${secret} was seen`),
        ...(reached > 0 ? [`${reached} connections`] : []),
      ];
    },
    close() {
      // One that was cut off may never close by itself. Nothing is left then that keeps the process alive, and it ends in mid-way.
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, () => {
      const address = server.address();
      if (typeof address === "object" && address !== null) resolve(address.port);
      else reject(new Error("the canary has no port"));
    });
  });
}

/** Everything below some folders: kind, mode and content by path. */
async function fingerprint(folders: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  async function visit(path: string): Promise<void> {
    const facts = await lstat(path).catch(() => undefined);
    if (facts === undefined) return;
    const kind = facts.isSymbolicLink() ? await readlink(path) : facts.isFile() ? await hashOf(path) : "";
    found.set(path, `${facts.mode} ${kind}`);
    if (facts.isDirectory()) for (const name of await readdir(path)) await visit(join(path, name));
  }
  for (const folder of folders) await visit(folder);
  return found;
}

async function hashOf(path: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}
