import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Attack, Family } from "./attack.ts";
import { inPlayground, type Playground, SECRET } from "./playground.ts";

/** Where daemons of the user listen, in places that commands see. An abstract socket has no file. */
const SOCKETS: readonly [name: string, path: (playground: Pick<Playground, "base">) => string][] = [
  ["in a cache that commands may read", ({ base }) => join(base, "home/.cache/huggingface/daemon.sock")],
  ["of a toolchain", ({ base }) => join(base, "home/.cargo/bin/daemon.sock")],
  ["of a manager of toolchains", ({ base }) => join(base, "home/.volta/daemon.sock")],
  ["of a package manager", ({ base }) => join(base, "home/.local/share/pnpm/daemon.sock")],
  ["beside the project", ({ base }) => join(base, "outside/daemon.sock")],
  ["deep beside the project", ({ base }) => join(base, "outside/deep/daemon.sock")],
  ["in the project", ({ base }) => join(base, "project/daemon.sock")],
  ["without a file", ({ base }) => `\0${base}/abstract`],
];

/** Programs that connect to SOCKET. In the program's own notation an abstract socket begins with NUL. */
const CLIENTS: readonly [name: string, line: (path: string) => string][] = [
  [
    "python",
    (path) =>
      `python3 -c 'import socket;s=socket.socket(socket.AF_UNIX);s.connect(${JSON.stringify(path).replace("\\u0000", "\\0")});print(s.recv(99))'`,
  ],
  [
    "python by datagrams and pairs",
    (path) =>
      `python3 -c 'import socket;socket.socketpair();s=socket.socket(socket.AF_UNIX,socket.SOCK_STREAM);s.connect(${JSON.stringify(path).replace("\\u0000", "\\0")});print(s.recv(99))'`,
  ],
  [
    "socat",
    (path) => `socat - ${path.startsWith("\0") ? `ABSTRACT-CONNECT:${path.slice(1)}` : `UNIX-CONNECT:${path}`}`,
  ],
  [
    "curl",
    (path) =>
      `curl -s -m 3 ${path.startsWith("\0") ? `--abstract-unix-socket ${path.slice(1)}` : `--unix-socket ${path}`} http://x/ --http0.9`,
  ],
  [
    "node",
    (path) =>
      `node -e 'require("net").connect(${JSON.stringify(path).replace("\\u0000", "\\0")}).pipe(process.stdout)'`,
  ],
  [
    "perl",
    (path) =>
      `perl -MSocket -e 'socket(S,PF_UNIX,SOCK_STREAM,0);connect(S,sockaddr_un("${path.replace("\0", "\\0")}"))||die;print <S>'`,
  ],
];

/** Sockets bypass every mount: the daemons that listen on them act with all rights of the user. */
export const sockets: Family<Playground> = {
  name: "sockets",
  guard: "socket families",
  from: import.meta.url,
  leaves: "nothing",
  inWorld: (act) =>
    inPlayground(act, {
      async prepare({ base }) {
        for (const [, path] of SOCKETS)
          if (!path({ base }).startsWith("\0")) await mkdir(dirname(path({ base })), { recursive: true });
      },
    }),
  attacks: (playground) =>
    SOCKETS.flatMap(([name, pathIn]) =>
      CLIENTS.map(([client, line]): Attack => {
        const path = pathIn(playground);
        return {
          name: `the socket ${name} by ${client}`,
          async run() {
            const daemon = await listen(path);
            try {
              return await playground.command(line(path));
            } finally {
              daemon.kill("SIGKILL");
              if (!path.startsWith("\0")) await rm(path, { force: true });
            }
          },
        };
      }),
    ),
};

/** A process of its own, as a daemon is: it gives its secret to whoever connects. */
async function listen(path: string): Promise<ChildProcess> {
  const program = `require("net").createServer((s) => s.on("error", () => {}).end(${JSON.stringify(`${SECRET}\n`)}))
    .listen(${JSON.stringify(path)}, () => console.log("ready"))`;
  const daemon = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  await once(daemon.stdout!, "data");
  return daemon;
}
