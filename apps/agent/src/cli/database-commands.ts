import { type Flag, JSON_OUTPUT, type Value } from "../commands/definition.ts";

export const DATABASE: Value = {
  type: "string",
  value: "URL",
  about: "the database: postgres://USER@HOST/NAME; default: DATABASE_URL, or PGHOST, PGDATABASE and PGUSER",
};
export const PASSWORDS: string =
  "Other users of this machine can see an address on the command line. Put passwords into DATABASE_URL or PGPASSWORD.";

/** Commands about sessions of a service in PostgreSQL. */
export const DATABASE_COMMANDS = {
  migrate: {
    usage: "migrate [--database URL] [--dry-run [--sql]]",
    about: "create or update the tables of a service in PostgreSQL",
    more: [
      "Run it before the new version of the service starts. Each migration is one transaction that gives up if a lock is not free in time; then nothing has changed, and you can run the command again.",
      "The role needs the rights to create roles and a schema. Without them, the error lists the statements that an administrator has to run.",
      PASSWORDS as string,
    ],
    options: {
      database: DATABASE as Value,
      "dry-run": { type: "boolean", about: "list the migrations that would run; change nothing" },
      sql: { type: "boolean", about: "with --dry-run: print their SQL, for psql" },
      "worker-role": { type: "string", value: "NAME", about: "give the role of your service its rights" },
      "operator-role": {
        type: "string",
        value: "NAME",
        about: "give a role the rights for palimpsest tenant and palimpsest expire",
      },
      "dispatcher-role": {
        type: "string",
        value: "NAME",
        about: "give a role the rights of a worker that runs sessions of all tenants",
      },
      restored: {
        type: "boolean",
        about: "after a restore from a backup, before the service starts: shut out processes of the time before",
      },
      "lock-timeout": {
        type: "string",
        value: "MS",
        about: "how long a migration waits for a lock, in milliseconds; default: 2000",
      },
      json: JSON_OUTPUT as Flag,
    },
    examples: [
      ["palimpsest migrate --worker-role service", "create the tables, and let the role service use them"],
      ["palimpsest migrate --dry-run --sql | less", "read the SQL first"],
    ],
    endings: ["failed"],
  },
  tenant: {
    usage: "tenant [list | show | export | import | delete] [--tenant NAME] [--database URL]",
    about: "list the tenants of a service in PostgreSQL; count, export, import or delete everything of one",
    more: [
      "list: print the names of tenants that have sessions or leases. show: count the rows of a tenant.",
      "export: print everything of a tenant as lines of JSON: logs, metadata, results, and rows of all other tables. import: fill a tenant with the sessions and results of such lines, from standard input; every entry is checked against its hash chain.",
      "delete: show what would be deleted; with --yes, delete it. Stop serving the tenant first. A deletion that was interrupted continues when you run it again.",
      PASSWORDS as string,
    ],
    options: {
      tenant: { type: "string", value: "NAME", about: "the tenant" },
      database: DATABASE as Value,
      yes: { type: "boolean", about: "with delete: delete the tenant" },
      "fence-writers": {
        type: "boolean",
        about: "with delete: do not wait for processes that write sessions of the tenant; they cannot write any more",
      },
      json: JSON_OUTPUT as Flag,
    },
    operands: { most: 1, completes: ["list", "show", "export", "import", "delete"] },
    examples: [
      ["palimpsest tenant export --tenant customer-17 > customer-17.jsonl", "export a tenant"],
      ["palimpsest tenant delete --tenant customer-17 --yes", "delete everything of a tenant"],
    ],
    endings: ["failed"],
  },
  fleet: {
    usage: "fleet [top | retry [SESSION]] [--tenant NAME] [--database URL] [options]",
    about: "watch the workers of a service in PostgreSQL; let sessions run again that were set aside",
    more: [
      "top: show the sessions that run, wait for a worker or a person, or were set aside, the messages that no session has taken in, and the runs of each worker. The screen is refreshed until you press Ctrl-C. The role needs palimpsest_operator: palimpsest migrate --operator-role NAME.",
      "retry: let a session run again that failed too often and was set aside. Mend the cause first: palimpsest fleet top shows it.",
      PASSWORDS as string,
    ],
    options: {
      tenant: { type: "string", value: "NAME", about: "with retry: the tenant of the session" },
      all: { type: "boolean", about: "with retry: every session of the tenant that was set aside" },
      once: { type: "boolean", about: "with top: print the state once" },
      every: { type: "string", value: "SECONDS", about: "with top: how often to refresh; default: 2" },
      rows: { type: "string", value: "N", about: "with top: the length of each list; default: 10" },
      database: DATABASE as Value,
      json: JSON_OUTPUT as Flag,
    },
    operands: { most: 2, completes: ["top", "retry"] },
    examples: [
      ["palimpsest fleet top", "watch the fleet"],
      ["palimpsest fleet top --once --json | jq .queue", "read it with a program"],
      ["palimpsest fleet retry desk-17 --tenant acme", "let a session run again"],
    ],
    endings: ["failed", "interrupted", "terminated"],
  },
  expire: {
    usage: "expire [--older-than DAYS] [--for NAME=DAYS]... [options]",
    about: "delete sessions of a service in PostgreSQL that nobody has written to for some days",
    more: [
      "Goes over all tenants. Sessions that a process writes or a fork cites are kept, and looked at again by the next run. Safe to run from cron, on several machines at once.",
      "The role needs palimpsest_operator: palimpsest migrate --operator-role NAME.",
    ],
    options: {
      "older-than": {
        type: "string",
        value: "DAYS",
        about: "delete sessions of this age; default: keep those of tenants without --for",
      },
      for: {
        type: "string",
        multiple: true,
        value: "NAME=DAYS",
        about: 'another age for one tenant, or "forever"; repeat for more tenants',
      },
      "events-older-than": {
        type: "string",
        value: "DAYS",
        about: 'delete events for watchers of this age, or "forever" to keep them; default: 7',
      },
      database: DATABASE as Value,
      json: JSON_OUTPUT as Flag,
    },
    examples: [
      ["palimpsest expire --older-than 90", "delete sessions that are older than 90 days"],
      ["palimpsest expire --older-than 90 --for trial=7 --for archive=forever", "with two exceptions"],
    ],
    endings: ["failed", "interrupted", "terminated"],
  },
} as const;
