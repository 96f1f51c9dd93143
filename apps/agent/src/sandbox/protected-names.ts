/** Why a name is protected, for doctor and for people who are asked. */
export type ProtectedReason = "git" | "editor" | "agent" | "shell" | "packages" | "ci";

interface ProtectedName {
  /** One component, or several below each other. */
  readonly path: string;
  readonly kind: "file" | "folder";
  readonly reason: ProtectedReason;
  /** `top`: programs look for the name in the top folder of a project only. */
  readonly where: "anywhere" | "top";
}

function named(
  reason: ProtectedReason,
  where: ProtectedName["where"],
  kind: ProtectedName["kind"],
  paths: string,
): readonly ProtectedName[] {
  return paths.split(" ").map((path) => ({ path, kind, reason, where }));
}

/**
 * Names that programs of the user obey without being asked: git, editors, agents, shells, package managers and CI. Code that people
 * start on purpose (`package.json`, a Makefile) is not among them, nor is `.gitattributes`: it can only name filters, and the
 * programs behind them stand in git's configuration, which is protected.
 */
export const PROTECTED_NAMES: readonly ProtectedName[] = [
  ...named("git", "anywhere", "folder", ".git .bare .husky .githooks .lefthook"),
  ...named("git", "anywhere", "file", ".gitmodules .gitconfig .pre-commit-config.yaml lefthook.yml lefthook.yaml"),
  ...named("git", "anywhere", "file", ".lefthook.yml .lefthook.yaml lefthook-local.yml"),
  ...named("editor", "anywhere", "folder", ".vscode .idea .fleet .zed .vs .devcontainer"),
  ...named("editor", "anywhere", "file", ".devcontainer.json .vimrc .exrc .nvimrc .nvim.lua .lvimrc .dir-locals.el"),
  ...named("editor", "anywhere", "file", ".gdbinit .lldbinit"),
  ...named("agent", "anywhere", "folder", ".palimpsest .claude .cursor .codex .gemini .windsurf .continue"),
  ...named("agent", "anywhere", "file", ".mcp.json .claude.json .aider.conf.yml"),
  ...named("shell", "anywhere", "file", ".envrc .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile"),
  ...named(
    "shell",
    "anywhere",
    "file",
    ".zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc",
  ),
  ...named("shell", "anywhere", "file", ".mise.toml mise.toml .mise.local.toml mise.local.toml .rtx.toml"),
  ...named("shell", "anywhere", "file", ".tmux.conf .screenrc .curlrc .wgetrc .netrc .irbrc .pryrc .Rprofile"),
  ...named("shell", "anywhere", "folder", ".direnv .mise"),
  ...named("packages", "anywhere", "file", ".npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs .pypirc"),
  ...named("packages", "anywhere", "file", ".cargo/config.toml .cargo/config"),
  ...named("ci", "top", "folder", ".github/workflows .github/actions .circleci .buildkite .woodpecker"),
  ...named("ci", "top", "folder", ".forgejo/workflows .gitea/workflows .gitlab/ci"),
  ...named("ci", "top", "file", ".github/dependabot.yml .gitlab-ci.yml .travis.yml .drone.yml .woodpecker.yml"),
  ...named("ci", "top", "file", ".cirrus.yml azure-pipelines.yml bitbucket-pipelines.yml Jenkinsfile"),
];

/**
 * Of these names, the ones that are covered at the top of a root and of each repository even if they are missing: programs obey them
 * without any further step. Left out are names that no program obeys before another one is changed, which is protected (`.githooks`,
 * `.bare`), or before it has asked (`.dir-locals.el`, `mise.toml`); that nothing obeys outside of a home (`.bashrc`); and files that give no
 * more than `package.json` or a build script, which commands may write, while a cover would break the program (`.yarnrc.yml`).
 */
export const COVERED_NAMES: readonly string[] = [
  ...[".git", ".vscode", ".idea", ".zed", ".fleet", ".vs", ".devcontainer", ".husky"],
  ...[".palimpsest", ".claude", ".cursor", ".codex", ".gemini", ".windsurf", ".continue"],
  ...[".github/workflows", ".envrc", ".mcp.json", ".npmrc"],
];

/** The names that git runs from a folder of hooks, wherever `core.hooksPath` says it lies. */
const GIT_HOOKS = new Set(
  (
    "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit " +
    "pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update " +
    "reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman post-index-change"
  ).split(" "),
);

/** File systems of other machines do not tell upper case from lower case. */
const BY_PATH = new Map(PROTECTED_NAMES.map((name) => [name.path.toLowerCase(), name]));

/**
 * The protected name that a path is or lies in, for the tools that write files.
 * @param path from the project's folder, or absolute
 */
export function protectedName(path: string): ProtectedName | undefined {
  const parts = path.split(/[/\\]+/).filter((part) => part !== "" && part !== ".");
  for (const [at, part] of parts.entries()) {
    const one = part.toLowerCase();
    const found = BY_PATH.get(one) ?? BY_PATH.get(`${one}/${parts[at + 1]?.toLowerCase()}`);
    if (found !== undefined) return found;
  }
  return gitPart(parts, path);
}

/** A folder becomes a repository by its `HEAD`: without one, `objects`, `refs` and `config` beside it mean nothing to git. */
function gitPart(parts: readonly string[], path: string): ProtectedName | undefined {
  const [last = "", above = ""] = parts.map((part) => part.toLowerCase()).toReversed();
  const isHook = above.endsWith("hooks") && GIT_HOOKS.has(last);
  if (isHook || last === "head") return { path, kind: "file", reason: "git", where: "anywhere" };
  if (last.endsWith(".code-workspace")) return { path, kind: "file", reason: "editor", where: "anywhere" };
  return undefined;
}

/** Whether programs of the user would obey what is written to a path. */
export function isProtected(path: string): boolean {
  return protectedName(path) !== undefined;
}
