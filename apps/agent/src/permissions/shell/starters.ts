import type { ShellCommand } from "./shell-line.ts";

/** A program that starts the command which stands behind its options. */
export interface Starter {
  /** Options that are followed by a word of their own. */
  readonly valued: readonly string[];
  /** Options that are followed by two. @default none */
  readonly paired?: readonly string[];
  /** Words before the command that are no options. @default 0 */
  readonly skip?: number;
  readonly effect: ShellCommand["effect"];
  /** `words`: it hands on words that it reads. @default none */
  readonly adds?: "words";
  /** `mark`: words of its own end with "--". @default they end with its options */
  readonly ends?: "mark";
}

const same = (valued: string, skip = 0): Starter => ({ valued: valued.split(" "), skip, effect: "same" });
const other = (valued: string, skip = 0): Starter => ({ valued: valued.split(" "), skip, effect: "other" });

/** By the program, or by the program and its first word. */
export const STARTERS: ReadonlyMap<string, Starter> = new Map([
  ["timeout", same("-k --kill-after -s --signal", 1)],
  ["nice", same("-n --adjustment")],
  ["ionice", same("-c -n --class --classdata")],
  ["nohup", same("")],
  ["setsid", same("")],
  ["stdbuf", same("-i -o -e --input --output --error")],
  ["time", same("-o -f --output --format")],
  ["command", same("")],
  ["builtin", same("")],
  ["exec", same("-a")],
  ["env", same("-u --unset -C --chdir")],
  ["caffeinate", same("-t -w")],
  [
    "sudo",
    other(
      "-u -g -h -p -C -r -t -U -T -D -R --user --group --host --prompt --chdir --chroot --close-from --role --type --other-user --command-timeout",
    ),
  ],
  ["doas", other("-u -C")],
  ["pkexec", other("-u --user")],
  ["runuser", other("-u --user -g --group -G --supp-group -w --whitelist-environment")],
  ["setpriv", other("--reuid --regid --ruid --euid --rgid --egid --groups --inh-caps --ambient-caps --bounding-set")],
  ["unshare", other("--map-user --map-group --propagation -S --setuid -G --setgid -R --root -w --wd")],
  ["nsenter", other("-t --target -S --setuid -G --setgid")],
  ["chroot", other("--userspec --groups", 1)],
  ["busybox", other("")],
  ["toybox", other("")],
  ["flock", other("-w --wait --timeout -E --conflict-exit-code", 1)],
  ["script", other("-E --echo -I --log-in -O --log-out -B --log-io -T --log-timing -m -o --output-limit", 1)],
  ["strace", other("-e -o -p -s -u -P -a -S")],
  ["ltrace", other("-e -o -p -s -u")],
  ["taskset", other("", 1)],
  ["chrt", other("-T -P -D", 1)],
  ["numactl", other("-i --interleave -p --preferred -m --membind -N --cpunodebind -C --physcpubind")],
  ["fakeroot", other("-l --lib --faked -s -i -b")],
  [
    "systemd-run",
    other(
      "-p --property -u --unit -M --machine -H --host --uid --gid -E --setenv --working-directory --slice --description",
    ),
  ],
  ["xvfb-run", other("-s --server-args -n --server-num -e --error-file -f --auth-file -w --wait -p --xauth-protocol")],
  ["dbus-run-session", other("")],
  ["firejail", other("")],
  [
    "bwrap",
    {
      ...other(
        "--unsetenv --dev --proc --tmpfs --mqueue --dir --remount-ro --chdir --uid --gid --hostname --perms --size --args --argv0 --seccomp --cap-add --cap-drop",
      ),
      paired:
        "--bind --ro-bind --dev-bind --bind-try --ro-bind-try --dev-bind-try --symlink --file --bind-data --ro-bind-data --setenv --chmod".split(
          " ",
        ),
    },
  ],
  ["npx", other("-p --package")],
  ["bunx", other("-p --package")],
  ["npm exec", other("-p --package")],
  ["npm x", other("-p --package")],
  ["bun x", other("-p --package")],
  ["pnpm exec", other("")],
  ["pnpm dlx", other("")],
  ["yarn exec", other("")],
  ["yarn dlx", other("-p")],
  ["uv run", other("--with --python -p --extra --group --project --directory --env-file")],
  ["uvx", other("--from --with --python -p")],
  ["pipx run", other("--spec")],
  ["poetry run", other("-C --directory -P --project")],
  ["pipenv run", other("")],
  ["bundle exec", other("")],
  ["mise exec", { ...other(""), ends: "mark" }],
  ["mise x", { ...other(""), ends: "mark" }],
  ["direnv exec", other("", 1)],
  [
    "xargs",
    {
      valued: "-I -n -P -L -d -a -s -E --arg-file --max-args --max-procs --max-chars --delimiter".split(" "),
      effect: "other",
      adds: "words",
    },
  ],
  [
    "parallel",
    {
      valued:
        "-j --jobs -n -N -a --arg-file --colsep -I --delay --timeout --joblog --results -S --sshlogin --wd --workdir".split(
          " ",
        ),
      effect: "other",
      adds: "words",
    },
  ],
]);
