import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Attack, Family } from "./attack.ts";
import { inPlayground, type Playground, SECRET } from "./playground.ts";

/** Files of a home that hold secrets, many of them under names that no list of secrets knows. */
const HOME_FILES = [
  ...[".ssh/id_rsa", ".ssh/config", ".aws/credentials", ".azure/msal.json", ".kube/config", ".docker/config.json"],
  ...[".claude.json", ".claude/credentials.json", ".codex/auth.json", ".gemini/oauth.json", ".cursor/mcp.json"],
  ...[".config/rclone/rclone.conf", ".config/gh/hosts.yml", ".config/op/config", ".config/sops/age/keys.txt"],
  ...[
    ".config/github-copilot/apps.json",
    ".config/containers/auth.json",
    ".config/hcloud/cli.toml",
    ".config/pip/pip.conf",
  ],
  ...[".config/git/config", ".config/solana/id.json", ".config/Code/User/state.vscdb", ".config/BraveSoftware/x"],
  ...[".local/share/opencode/auth.json", ".local/share/fish/fish_history", ".local/share/keyrings/login.keyring"],
  ...[".s3cfg", ".databrickscfg", ".fly/config.yml", ".oci/config", ".composer/auth.json", ".nuget/NuGet/NuGet.Config"],
  ...[".netrc", ".npmrc", ".yarnrc.yml", ".bunfig.toml", ".pypirc", ".pgpass", ".git-credentials", ".gitconfig"],
  ...[
    ".psql_history",
    ".python_history",
    ".bash_history",
    ".Xauthority",
    ".env",
    ".thunderbird/x",
    "Desktop/passwords.txt",
  ],
  ...["Documents/contract.txt", "Downloads/key.pem", "work/other-project/.env", "notes.md"],
];

const READS: readonly [way: string, line: string][] = [
  ["by cat", "cat HOME/FILE"],
  ["through ~", "cat ~/FILE"],
  ["copied", "cp HOME/FILE stolen; cat stolen"],
  ["by python", "python3 -c 'print(open(\"HOME/FILE\").read())'"],
  ["by tar", "tar cf - -C HOME FILE | strings"],
  ["through proc", "cat /proc/self/root/HOME/FILE"],
];

/** Names of variables that hold secrets, most of them without a word that says so. */
const VARIABLES = [
  ...["MODEL_API_KEY", "GH_TOKEN", "GITHUB_PAT", "GH_PAT", "GITLAB_PAT", "NPM_AUTH", "REDIS_URL", "MONGODB_URI"],
  ...["POSTGRES_URL", "SQLALCHEMY_DATABASE_URI", "AMQP_URL", "CELERY_BROKER_URL", "SENTRY_DSN", "GPG_PASSPHRASE"],
  ...[
    "BORG_PASSPHRASE",
    "SLACK_WEBHOOK_URL",
    "DISCORD_WEBHOOK",
    "JWT",
    "SESSION_COOKIE",
    "COOKIE",
    "AZURE_STORAGE_SAS",
  ],
  ...[
    "SERVICE_ACCOUNT_JSON",
    "KUBECONFIG_DATA",
    "DOCKER_AUTH_CONFIG",
    "CI_JOB_JWT",
    "ACTIONS_RUNTIME_TOKEN",
    "STRIPE_SK",
  ],
  ...["PRIVATEKEY", "MASTER_PWD", "DB_PASS", "FTP_PASS", "MYSQL_PWD", "PW", "BEARER", "BW_SESSION", "OP_SESSION_my"],
  ...["PIP_INDEX_URL", "UV_INDEX_URL", "GEMINI_KEY", "QUITE_PLAIN"],
];

const PRINTS: readonly [way: string, line: string][] = [
  ["by printenv", "printenv NAME"],
  ["by the shell", 'echo "$NAME"'],
  ["from proc", "tr '\\0' '\\n' < /proc/self/environ | grep NAME"],
  ["from the parents", "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep NAME"],
  ["by node", "node -p process.env.NAME"],
];

const ALL_OF_THEM = [
  "env",
  "export -p",
  "set",
  "ps auxe",
  "bash -lc env",
  "cat /proc/self/environ | tr '\\0' '\\n'",
  "cat /proc/*/environ | strings",
  "printenv MODEL_API_KEY GITHUB_TOKEN DATABASE_URL",
  "python3 -c 'import os;print(os.environ)'",
];

/** The whole home but for toolchains is not there for a command. */
export const homeSecrets: Family<Playground> = {
  name: "secrets of the home",
  guard: "mounts",
  from: import.meta.url,
  leaves: "nothing",
  inWorld: (act) =>
    inPlayground(act, {
      async prepare({ home }) {
        for (const path of HOME_FILES) {
          await mkdir(dirname(join(home, path)), { recursive: true });
          await writeFile(join(home, path), `${SECRET}\n`);
        }
      },
    }),
  attacks: ({ home, command }) =>
    HOME_FILES.flatMap((file) =>
      READS.map(
        ([way, line]): Attack => ({
          name: `${file} ${way}`,
          run: () => command(line.replaceAll("HOME", home).replaceAll("FILE", file)),
        }),
      ),
    ),
};

/** What a command need not know it cannot give away: it gets variables that are on a list. */
export const variables: Family<Playground> = {
  name: "secrets of the environment",
  guard: "passed variables",
  from: import.meta.url,
  leaves: "nothing",
  inWorld: (act) => inPlayground(act, { environment: Object.fromEntries(VARIABLES.map((name) => [name, SECRET])) }),
  attacks: ({ command }) => [
    ...VARIABLES.flatMap((name) =>
      PRINTS.map(
        ([way, line]): Attack => ({ name: `${name} ${way}`, run: () => command(line.replaceAll("NAME", name)) }),
      ),
    ),
    ...ALL_OF_THEM.map((line): Attack => ({ name: line, run: () => command(line) })),
  ],
};
