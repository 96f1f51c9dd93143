import { expect, test } from "vitest";
import { COVERED_NAMES, isProtected, PROTECTED_NAMES, protectedName } from "./protected-names.ts";

test.each([
  ...[".git", ".git/hooks/pre-commit", "a/b/c/d/.git/config", ".GIT/config", "./.git/x", "/p/.git/modules/x/config"],
  ...["HEAD", "a/b/HEAD", ".bare/hooks/pre-commit", "hooks/pre-commit", ".githooks/x", "my-hooks/commit-msg"],
  ...[".vscode/tasks.json", "sub/.idea/x.xml", ".claude/settings.json", ".palimpsest/settings.json", ".mcp.json"],
  ...[".cursor/mcp.json", ".codex/config.toml", ".gemini/settings.json", ".devcontainer/devcontainer.json"],
  ...[
    ".envrc",
    ".bash_profile",
    ".zshenv",
    ".husky/pre-commit",
    ".npmrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    ".mise.toml",
  ],
  ...[".github/workflows/x.yml", ".GitHub/Workflows/x.yml", ".github/actions/a/action.yml", ".github/dependabot.yml"],
  ...[
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    "Jenkinsfile",
    ".pre-commit-config.yaml",
    "lefthook.yml",
    ".gitmodules",
  ],
  ...["x.code-workspace", ".cargo/config.toml", "a\\.git\\config"],
])("programs of the user obey %s", (path) => {
  expect(isProtected(path)).toBe(true);
});

test.each([
  ...["src/index.ts", "package.json", ".gitignore", ".github/ISSUE_TEMPLATE.md", "github/workflows/x", "ahead"],
  ...[
    "src/hooks/use-state.ts",
    "hooks/update-user.ts",
    "config",
    "objects/x",
    ".gitattributes",
    ".env",
    ".cargo/x",
    "",
  ],
])("%j is a file as any other", (path) => {
  expect(isProtected(path)).toBe(false);
});

test("names that are covered when they are missing are protected names", () => {
  const known = PROTECTED_NAMES.map(({ path }) => path);
  expect(COVERED_NAMES.filter((name) => !known.includes(name))).toEqual([]);
});

test("each name of the list is found in any spelling, and below", () => {
  for (const { path, reason } of PROTECTED_NAMES) {
    expect(protectedName(path.toUpperCase())?.reason).toBe(reason);
    expect(protectedName(`a/${path}/below`)?.reason).toBe(reason);
  }
});
