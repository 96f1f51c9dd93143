import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Attack, Family } from "./attack.ts";
import { inPlayground, type Playground, SECRET } from "./playground.ts";

interface SandboxPlayground extends Playground {
  /** A process outside of the sandbox that nobody may end. */
  readonly bystander: ChildProcess;
}

/**
 * Commands that are run for real in the sandbox, and try to write outside, to reach a port, to see secrets, to end a process. They
 * aim at canaries only: where the sandbox fails, nothing else may come to harm.
 */
export const sandbox: Family<SandboxPlayground> = {
  name: "sandbox",
  guard: "mounts",
  from: import.meta.url,
  inWorld: (act) =>
    inPlayground(async (playground) => {
      const env = { PATH: process.env["PATH"], KNOWN_TO_OTHERS: SECRET };
      const bystander = spawn("sleep", ["600"], { stdio: "ignore", detached: true, env });
      try {
        return await act({ ...playground, bystander });
      } finally {
        bystander.kill("SIGKILL");
      }
    }),
  attacks(playground) {
    const { folder, bystander, command } = playground;
    const inGit = (name: string): string => join(folder, ".git", name);
    const [hook, leading] = [inGit("hooks/pre-commit"), inGit("commondir")];
    return commandsOf(playground, bystander.pid!).map(
      (line): Attack => ({
        name: line,
        async run() {
          for (const path of [hook, leading]) await rm(path, { recursive: true, force: true });
          return command(line);
        },
        harm: () => {
          if (bystander.exitCode !== null || bystander.signalCode !== null) return "a process outside was ended";
          const written = [hook, leading, join(folder, ".palimpsest/settings.json")].some((path) => existsSync(path));
          return written || readFileSync(inGit("config"), "utf8") !== "[core]\n"
            ? "what the user's programs run was written"
            : undefined;
        },
      }),
    );
  },
};

function commandsOf({ base, folder, home, outside, canaries }: Playground, pid: number): readonly string[] {
  const target = `${outside}/file.txt`;
  const { port } = canaries;
  const writes = [
    "echo x > T",
    "echo x >> T",
    "echo x | tee T",
    "cp inside.txt T",
    "mv inside.txt T",
    "rm -f T",
    "truncate -s 0 T",
    "ln -f inside.txt T",
    "chmod 777 T",
    "touch T.new",
    "mkdir T.d",
    "dd if=/dev/zero of=T count=1",
    "sed -i s/C/x/ T",
    "ln -sfn /dev/null T",
    "install inside.txt T",
    'python3 -c \'open("T","w").write("x")\'',
    'perl -e \'open F,">","T";print F 1\'',
    "bash -c 'echo x > T'",
    "env -i /bin/bash -c 'echo x > T'",
    "setsid sh -c 'echo x > T'",
    "nohup sh -c 'echo x > T' >/dev/null 2>&1",
    "(sleep 0.2; echo x > T) &",
    "find T -exec sh -c 'echo x > {}' \\;",
    "ln -s T l1; echo x > l1",
    "cd $(dirname T) && echo x > file.txt",
    "exec 5>T; echo x >&5",
    "xargs -I{} sh -c 'echo x > {}' <<< T",
    "eval 'echo x > T'",
    "mount -o remount,rw / && echo x > T",
    "unshare -Ur sh -c 'mount -o remount,rw / ; echo x > T'",
    "unshare -Urm sh -c 'umount -l /; echo x > T'",
    "nsenter -t 1 -m sh -c 'echo x > T'",
    "chroot / sh -c 'echo x > T'",
    "sudo -n sh -c 'echo x > T'",
    "su -c 'echo x > T'",
    "capsh --print; echo x > T",
    "echo x > /proc/1/root/T",
    "echo x > /proc/self/root/T",
    "echo x > /proc/self/cwd/../../outside/file.txt",
    "bwrap --bind / / sh -c 'echo x > T'",
    "bwrap --dev-bind / / --unshare-user sh -c 'echo x > T'",
    "flock T -c 'echo x > T'",
    "echo x\r> T",
    "echo x >\\\nT",
  ].map((command) => command.replaceAll("T", target));
  const ofPrograms = [
    "mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit",
    "git config core.hooksPath evil; cp inside.txt .git/hooks/pre-commit",
    "mv .git .git2; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit",
    "rm -rf .git/hooks; mkdir .git/hooks; echo x > .git/hooks/pre-commit",
    "ln -sfn ../../sub .git/hooks; echo x > .git/hooks/pre-commit",
    "umount .git/hooks; echo x > .git/hooks/pre-commit",
    "git config core.fsmonitor evil; echo evil >> .git/config; cp inside.txt .git/config",
    "mv .git/config .git/c; cp inside.txt .git/config",
    "umount .git/config; echo evil > .git/config",
    "echo ../sub > .git/commondir",
    "echo ../sub > .git/commondir; sleep 10",
    "(sleep 0.3; mkdir .git/commondir) & sleep 3",
    "ln -s ../sub .git/commondir; echo x > .git/config.worktree",
  ];
  const hosts = ["127.0.0.1", "localhost", "0.0.0.0", "::1", "127.1", "$(hostname)", "$(hostname -I | cut -d' ' -f1)"];
  const network = [
    ...hosts.flatMap((host) => [
      `exec 3<>/dev/tcp/${host}/${port} && cat <&3`,
      `curl -sg -m 3 "http://${host.includes("::") ? `[${host}]` : host}:${port}/"`,
    ]),
    `python3 -c 'import socket;print(socket.create_connection(("127.0.0.1",${port}),2).recv(99))'`,
    `nc -w 2 127.0.0.1 ${port}`,
    `nsenter -t ${pid} -n curl -s -m 3 127.0.0.1:${port}`,
    `wget -qO- -T 3 http://127.0.0.1:${port}/`,
    `ip link set lo up; curl -s -m 3 127.0.0.1:${port}`,
    `unshare -Urn sh -c 'ip link set lo up; curl -s -m 3 127.0.0.1:${port}'`,
    `cat /dev/tcp/127.0.0.1/${port}`,
    `node -e 'fetch("http://127.0.0.1:${port}").then(r=>r.text()).then(console.log)'`,
  ];
  const secrets = [
    ...[".ssh/id_rsa", ".aws/credentials", ".netrc", ".npmrc", ".config/gh/hosts.yml", ".gnupg/key"].flatMap((name) => [
      `cat ${home}/${name}`,
      `cat ~/${name}`,
      `cat /proc/1/root${home}/${name}`,
      `cp ${home}/${name} stolen; cat stolen`,
      `ln -f ${home}/${name} stolen2 && cat stolen2`,
      `tar c ${home}/${name} | strings`,
      `mount --bind / sub; cat sub${home}/${name}`,
    ]),
    `grep -r CANARY- ${home}`,
    `umount ${home}/.ssh; cat ${home}/.ssh/id_rsa`,
    `find ${home} -type f -exec cat {} +`,
    `cat /proc/${pid}/environ | tr '\\0' '\\n'`,
    `strings /proc/${pid}/environ`,
    `ps ewww ${pid}`,
  ];
  const processes = [`kill -9 ${pid}`, `kill -- -${pid}`, `echo 1 > /proc/${pid}/oom_score_adj; kill ${pid}`];
  const away = [
    `rm -rf ${base}/outside`,
    `rm -rf ${base}/*`.replace(base, outside),
    `rm -rf ${home}/.ssh ${home}/.aws`,
    `cd / && rm -rf .${outside}`,
    `find ${base} -name file.txt -not -path '${folder}/*' -delete`,
  ];
  return [...writes, ...ofPrograms, ...network, ...secrets, ...processes, ...away];
}
