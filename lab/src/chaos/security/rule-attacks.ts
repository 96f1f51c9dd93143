import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { decidePermission, loadSettings, toPermissionCall } from "palimpsest-agent";
import type { Attack, Family } from "./attack.ts";
import { inPlayground, type Playground } from "./playground.ts";

/** Programs that the user has forbidden, each with a rule `Bash(<program> *)`. */
const FORBIDDEN = ["rm", "curl", "docker", "shred", "ssh", "npm"];
const FORBIDDEN_GIT = "git push";

/** Ways to start a program P that a shell or another program understands. */
const FORMS = [
  ...[
    "P x",
    "P\tx",
    "  P   x",
    "/usr/bin/P x",
    "/bin/../bin/P x",
    "./P x",
    "\\P x",
    "P''  x",
    "'P' x",
    '"P" x',
    "$'P' x",
  ],
  ...[
    "true; P x",
    "true && P x",
    "false || P x",
    "true & P x",
    "true | P x",
    "true |& P x",
    "! P x",
    "(P x)",
    "{ P x; }",
  ],
  ...[
    "if P x; then :; fi",
    "if :; then P x; fi",
    "if false; then :; elif P x; then :; fi",
    "while P x; do break; done",
  ],
  ...["until P x; do break; done", "for i in 1; do P x; done", "case a in a) P x;; esac", "f() { P x; }; f"],
  ...[
    "function f { P x; }; f",
    "echo $(P x)",
    "echo `P x`",
    'echo "$(P x)"',
    "cat <(P x)",
    "true > >(P x)",
    `echo \${y:-$(P x)}`,
  ],
  ...[
    ">f P x",
    "</dev/null P x",
    "2>&1 P x",
    "A=1 P x",
    "A=1 B=2 P x",
    "env P x",
    "env -i P x",
    "env A=1 P x",
    "/usr/bin/env P x",
  ],
  ...[
    "command P x",
    "command -p P x",
    "exec P x",
    "exec -a y P x",
    "builtin command P x",
    "eval 'P x'",
    'eval "P x"',
    "eval P x",
  ],
  ...[
    "bash -c 'P x'",
    'sh -c "P x"',
    "bash -lc 'P x'",
    "bash -euo pipefail -c 'P x'",
    "dash -c 'true; P x'",
    "bash <<< 'P x'",
  ],
  ...[
    "bash <<'E'\nP x\nE",
    "sudo P x",
    "sudo -u root P x",
    "sudo -- P x",
    "doas P x",
    "nohup P x",
    "nohup -- P x",
    "setsid P x",
  ],
  ...[
    "nice P x",
    "nice -n 5 P x",
    "timeout 5 P x",
    "timeout -k 1 5 P x",
    "time P x",
    "time -p P x",
    "stdbuf -o0 P x",
    "ionice P x",
  ],
  ...[
    "xargs P < f",
    "echo x | xargs -n1 P",
    "ls | xargs -I{} P {}",
    "find . -exec P {} +",
    "find . -name y -exec P {} \\;",
  ],
  ...[
    "find . -execdir P {} \\;",
    "busybox P x",
    "unshare P x",
    "coproc P x",
    "trap 'P x' EXIT",
    "watch P x",
    "parallel P ::: x",
  ],
  ...[
    "alias q=P\nq x",
    "a=P; $a x",
    `P\${IFS}x`,
    "{P,x}",
    "script -c 'P x'",
    "echo UCB4 | base64 -d | sh",
    "source <(echo P x)",
  ],
  ...[
    "true\nP x",
    "true #\nP x",
    "true \\\n&& P x",
    "[ -n 1 ] && P x",
    "[[ a ]] && P x",
    "(( 1 )) && P x",
    "bash -c 'bash -c \"P x\"'",
  ],
  ...["flock f P x", "chroot / P x", "strace P x", "awk 'BEGIN{system(\"P x\")}'", "perl -e 'system(\"P x\")'"],
  ...[
    "python3 -c 'import os;os.system(\"P x\")'",
    'node -e \'require("child_process").execSync("P x")\'',
    "make -f - <<< 'a:;P x'",
  ],
];

/** Ways to say `git push` that git understands. */
const GIT_FORMS = [
  ...[
    "git push",
    "git push origin",
    "git  push origin main",
    "git -C . push",
    "git --no-pager push",
    "git -c a.b=c push",
  ],
  ...[
    "GIT_DIR=.git git push",
    "git --git-dir=.git push",
    "git --git-dir .git push",
    "git --work-tree=. -C sub push",
    "g\\\nit push",
  ],
  ...[
    "git -c alias.p=push p",
    "git -p push",
    "/usr/bin/git push",
    "env git push",
    "git -C sub -c a.b=c --no-pager push origin",
  ],
];

/** What an allowed program can be made to do by its options or by what stands around it. */
const ALLOWED = ["git status *", "npm test *", "ls *", "cat *", "echo *", "git log *"];
const AROUND = [
  ...[
    "A; evil",
    "A && evil",
    "A || evil",
    "A | sh",
    "A & evil",
    "A\nevil",
    "A $(evil)",
    "A `evil`",
    "A <(evil)",
    "A > ../f",
  ],
  ...[
    "A >> .git/config",
    "A > .envrc",
    "A #\nevil",
    "A\r\nevil",
    "A \\\n; evil",
    "X=1 A",
    "PATH=. A",
    "LD_PRELOAD=./e.so A",
  ],
  ...[
    "A >(evil)",
    "A <<< $(evil)",
    "if A; then evil; fi",
    "A 2>&1 | bash",
    "(A; evil)",
    `A \${x:-$(evil)}`,
    'A "$(evil)"',
  ],
];

/** A rule that forbids holds for what a line does, however it is written. Without it, the same line would run unasked. */
export const denied: Family<Playground> = {
  name: "denied commands",
  guard: "denying rules",
  from: import.meta.url,
  leaves: "nothing",
  inWorld: (act) => inPlayground(act, { shell: "none" }),
  attacks: (playground) => {
    const deny = [...FORBIDDEN, FORBIDDEN_GIT].map((command) => `Bash(${command} *)`);
    const lines = FORBIDDEN.flatMap((program) => FORMS.map((form) => form.replace(/\bP\b/g, program)));
    return [...lines, ...GIT_FORMS].map((line) => attackOf(line, { allow: ["Bash"], deny }, playground));
  },
};

/** A rule that allows a command allows nothing else that stands in the line. */
export const around: Family<Playground> = {
  name: "lines around allowed commands",
  guard: "covered lines",
  from: import.meta.url,
  leaves: "nothing",
  inWorld: (act) => inPlayground(act, { shell: "none" }),
  attacks: (playground) => {
    const allow = ALLOWED.map((rule) => `Bash(${rule})`);
    const lines = ALLOWED.flatMap((rule) => AROUND.map((line) => line.replaceAll("A", rule.slice(0, -2))));
    return lines.map((line) => attackOf(line, { allow }, playground));
  },
};

function attackOf(line: string, permissions: object, playground: Playground): Attack {
  return {
    name: line,
    async run() {
      // As a user without a sandbox has it: commands are asked for unless a rule allows them.
      const tool = { name: "Bash", effect: "run", commands: "none" } as const;
      const call = await toPermissionCall(tool, { command: line }, playground);
      await writeFile(join(playground.agentHome, "settings.json"), JSON.stringify({ permissions }));
      const { settings } = await loadSettings(playground);
      return decidePermission(settings.mode, settings.rules, call).decision;
    },
    harm: (said) => (said === "allow" ? "it runs unasked" : undefined),
  };
}
