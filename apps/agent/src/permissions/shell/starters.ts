import type { ShellCommand } from "./shell-line.ts";

/** A program that starts the command which stands behind its options. */
export interface Starter {
  /** Options that are followed by a word of their own. */
  readonly valued: readonly string[];
  /** Words before the command that are no options. @default 0 */
  readonly skip?: number;
  readonly effect: ShellCommand["effect"];
  /** `words`: it hands on words that it reads. @default none */
  readonly adds?: "words";
}

const same = (valued: string, skip = 0): Starter => ({ valued: valued.split(" "), skip, effect: "same" });
const other = (valued: string, skip = 0): Starter => ({ valued: valued.split(" "), skip, effect: "other" });

/** Before the command of git. */
export const GIT_OPTIONS: readonly string[] = "-C -c --git-dir --work-tree --namespace --exec-path --config-env".split(
  " ",
);

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
  ["sudo", other("-u -g -h -p -C -r -t -U -T -D -R --user --group --host --prompt --chdir --chroot")],
  ["doas", other("-u -C")],
  ["unshare", other("--map-user --map-group --propagation --setuid --setgid -R --root -w --wd")],
  ["nsenter", other("-t --target -S -G")],
  ["chroot", other("--userspec --groups", 1)],
  ["busybox", other("")],
  ["toybox", other("")],
  ["flock", other("-w --timeout -E", 1)],
  ["strace", other("-e -o -p -s -u -P -a -S")],
  ["ltrace", other("-e -o -p -s -u")],
  ["taskset", other("", 1)],
  ["systemd-run", other("-p --property -u --unit -M -H --uid --gid")],
  ["xvfb-run", other("-s --server-args -n")],
  ["dbus-run-session", other("")],
  ["firejail", other("")],
  ["bwrap", other("--bind --ro-bind --dev --proc --tmpfs --chdir --setenv")],
  ["npx", other("-p --package -c --call")],
  ["bunx", other("-p --package")],
  ["npm exec", other("-p --package -c --call")],
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
  ["mise exec", other("")],
  ["direnv exec", other("", 1)],
  [
    "xargs",
    {
      valued: "-I -i -n -P -L -d -a -s -E --arg-file --max-args --max-procs --delimiter --replace".split(" "),
      effect: "other",
      adds: "words",
    },
  ],
  [
    "parallel",
    {
      valued: "-j --jobs -n -N -a --arg-file --colsep -I --delay --timeout".split(" "),
      effect: "other",
      adds: "words",
    },
  ],
]);
