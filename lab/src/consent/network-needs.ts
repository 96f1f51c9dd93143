import type { PermissionCall } from "palimpsest-agent";

type Commands = Extract<NonNullable<PermissionCall["command"]>["line"], { kind: "parsed" }>["commands"];

/** Programs that are of no use without the network, or that speak with a daemon outside of the sandbox. */
const ALWAYS: ReadonlySet<string> = new Set(
  (
    "curl wget ssh scp sftp rsync ftp telnet nc ncat ping dig nslookup host whois traceroute gh glab hub aws gcloud az gsutil kubectl helm " +
    "docker docker-compose podman nerdctl terraform pulumi ansible vercel netlify wrangler flyctl fly heroku railway supabase firebase " +
    "brew apt apt-get apk dnf yum pacman snap flatpak psql mysql redis-cli mongosh sentry-cli codecov twine claude codex gemini opencode"
  ).split(" "),
);

/** Actions of package managers and git that reach a registry or another repository. */
const ACTIONS: Readonly<Record<string, RegExp>> = {
  git: /^(push|fetch|pull|clone|ls-remote|remote update|submodule (update|add)|lfs)\b/,
  npm: /^(i|in|install|ci|add|update|up|upgrade|publish|view|info|show|search|audit|outdated|login|whoami|create|init|dist-tag|pack-remote)\b/,
  pnpm: /^(i|install|add|update|up|publish|view|info|search|audit|outdated|dlx|create|fetch|import)\b/,
  yarn: /^($|install|add|up|upgrade|publish|info|audit|outdated|dlx|create|npm)\b/,
  bun: /^(i|install|add|update|upgrade|publish|outdated|x|create|pm view)\b/,
  bunx: /./,
  npx: /^(-y|--yes|create-)/,
  uvx: /./,
  pipx: /^(install|run|upgrade)\b/,
  pip: /^(install|download|index|search|wheel)\b/,
  uv: /^(sync|add|lock|pip install|pip compile|tool install|tool run|python install|publish)\b/,
  poetry: /^(install|add|update|lock|publish|search)\b/,
  pipenv: /^(install|update|sync|lock)\b/,
  cargo: /^(install|fetch|add|update|publish|search|login)\b/,
  go: /^(get|install|mod (download|tidy|vendor)|work sync)\b/,
  gem: /^(install|update|push|fetch|search)\b/,
  bundle: /^(install|update|outdated|add)\b/,
  composer: /^(install|update|require|outdated|audit)\b/,
  dotnet: /^(restore|add|nuget|tool install|workload)\b/,
  mvn: /^(?!.*(-o|--offline)\b)/,
  conda: /^(install|create|update|search)\b/,
  mise: /^(install|use|upgrade)\b/,
  rustup: /^(install|update|toolchain|target|component)\b/,
  playwright: /^install\b/,
  nvm: /^install\b/,
};

/**
 * Whether a line needs the network, by its words: the program and what it is told to do. An address of this machine counts as well,
 * since the sandbox has a loopback of its own. `npx NAME` does not, because it first looks in the project.
 */
export function needsNetwork(commands: Commands): boolean {
  return commands.some((command) => {
    const [name = "", ...args] = command.words.map(({ text }) => text);
    const program = name.slice(name.lastIndexOf("/") + 1).replace(/^(pip)3$/, "$1");
    const rest = withoutOptions(program, args).join(" ");
    const isModule = /^python[\d.]*$/.test(program) && args[0] === "-m" && args[1] === "pip";
    const isNeeded =
      ALWAYS.has(program) ||
      ACTIONS[program]?.test(rest) === true ||
      (isModule && ACTIONS["pip"]!.test(args.slice(2).join(" ")));
    return (
      (isNeeded && !args.some((text) => /^(--version|--help|--offline|-h|-V)$/.test(text))) ||
      needsNetwork(command.starts)
    );
  });
}

/** The words from the action on; `-C folder` and the like stand before it. */
function withoutOptions(program: string, args: readonly string[]): readonly string[] {
  if (program === "npx") return args;
  let at = 0;
  for (; /^-/.test(args[at] ?? ""); at++)
    if (/^(-C|-c|--prefix|--filter|-F|--cwd|--dir|--directory|-w|--workspace)$/.test(args[at]!)) at++;
  return args.slice(at);
}
