import type { Attack, Family } from "./attack.ts";
import { inPlayground, type Playground } from "./playground.ts";

/** Names in the project that the agent protects, cleans up or mounts on. */
const NAMES = [
  ...[".git/commondir", ".git/config.worktree", ".git/hooks", ".git/config", ".git/modules", ".git/worktrees"],
  ...[".palimpsest", ".vscode", ".idea", ".claude", ".mcp.json", ".envrc", ".husky", ".github/workflows", ".npmrc"],
  ...["sub/.git", "sub/.vscode", "new/.git", "HEAD", "sub/.palimpsest"],
];

/**
 * Whoever cleans up after a command must not follow links: the command makes a folder under a protected name and exchanges it for a
 * link to the home while the host may be at work on it. What the host would do by path, the last part of each command does itself.
 */
export const exchanges: Family<Playground> = {
  name: "exchanged names",
  guard: "mounts",
  from: import.meta.url,
  inWorld: inPlayground,
  attacks: ({ home, command }) =>
    NAMES.flatMap((name) =>
      TECHNIQUES.map(
        ([technique, line]): Attack => ({
          name: `${name} ${technique}`,
          run: () => command(line.replaceAll("NAME", name).replaceAll("HOME", home)),
        }),
      ),
    ),
};

const TECHNIQUES: readonly [name: string, line: string][] = [
  ["made as a link", "mkdir -p $(dirname NAME); rm -rf NAME; ln -sfn HOME NAME; rm -rf NAME/Documents; sleep 0.1"],
  [
    "exchanged for a link",
    "mkdir -p NAME.d/Documents/thesis; rm -rf NAME; mv NAME.d NAME; mv NAME NAME.gone; ln -s HOME NAME; rm -rf NAME/Documents/thesis",
  ],
  [
    "exchanged in a loop",
    "mkdir -p $(dirname NAME) NAME.r/Documents; for i in $(seq 60); do mv -T NAME.r NAME; mv -T NAME NAME.r; ln -s HOME NAME; rm -rf NAME/Documents; rm -f NAME; done",
  ],
  [
    "with a parent exchanged",
    "mkdir -p p/$(dirname NAME); mkdir -p p/NAME; mv p q; ln -s HOME p; rm -rf p/Documents; rm -f p/.bashrc",
  ],
  [
    "left behind by a process that stays",
    "mkdir -p $(dirname NAME); (sleep 0.3; rm -rf NAME; ln -sfn HOME NAME; rm -rf NAME/Documents) & rm -rf NAME; ln -sfn HOME NAME; rm -rf NAME/Documents; sleep 0.1",
  ],
];
