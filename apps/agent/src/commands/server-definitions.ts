// The definitions of commands about services: in PostgreSQL, over HTTP, and the proxy.
import { type Flag, JSON_OUTPUT, type Value } from "./definition.ts";

export const DATABASE: Value = {
  type: "string",
  value: "URL",
  about: "the database: postgres://USER@HOST/NAME; default: DATABASE_URL, or PGHOST, PGDATABASE and PGUSER",
};
export const PASSWORDS: string =
  "Other users of this machine can see an address on the command line. Put passwords into DATABASE_URL or PGPASSWORD.";

const TOKENS: Value = {
  type: "string",
  value: "FOLDER",
  about: "the folder for tokens, if there is no database; default: tokens in PALIMPSEST_HOME",
};

/** The definitions of commands about a service in PostgreSQL. */
export const DATABASE_COMMANDS = {
  database: {
    usage: "database COMMAND [options]",
    about: "manage a service in PostgreSQL: its tables, tenants, tokens, workers and old sessions",
    more: [PASSWORDS as string],
    options: {},
    examples: [["palimpsest database tenants", "list the tenants; DATABASE_URL names the database"]],
    endings: [],
  },
  "database migrate": {
    usage: "database migrate [--database URL] [--dry-run [--sql]]",
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
        about: "give a role the rights for palimpsest database tenants and palimpsest database expire",
      },
      "dispatcher-role": {
        type: "string",
        value: "NAME",
        about: "give a role the rights of a worker that runs sessions of all tenants",
      },
      restored: {
        type: "boolean",
        about: "after a restore from a backup, before the service starts: shut out processes from before the restore",
      },
      "lock-timeout": {
        type: "string",
        value: "MS",
        about: "how long a migration waits for a lock, in milliseconds; default: 2000",
      },
      json: JSON_OUTPUT as Flag,
    },
    examples: [
      ["palimpsest database migrate --worker-role service", "create the tables, and let the role service use them"],
      ["palimpsest database migrate --dry-run --sql | less", "read the SQL first"],
    ],
    endings: ["failed"],
  },
  "database tenants": {
    usage: "database tenants [list | show | export | import | delete] [--tenant NAME] [--database URL]",
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
      ["palimpsest database tenants export --tenant customer-17 > customer-17.jsonl", "export a tenant"],
      ["palimpsest database tenants delete --tenant customer-17 --yes", "delete everything of a tenant"],
    ],
    endings: ["failed"],
  },
  "database tokens": {
    usage: "database tokens [list | create | revoke ID] --tenant NAME [options]",
    about: "create, list and revoke tokens for palimpsest serve",
    more: [
      "Tokens are kept in PostgreSQL if --database, DATABASE_URL or PGHOST names one, and in a folder otherwise. Several servers need a database, or the same folder.",
      "create: print a new token, once. Only its digest is kept. Without --scope it may do everything.",
      "revoke: refuse a token from now on. Streams that it opened end within seconds.",
    ],
    options: {
      tenant: { type: "string", value: "NAME", about: "the tenant whose sessions the token may use" },
      name: { type: "string", value: "TEXT", about: "with create: who uses it; answers to questions carry the name" },
      scope: {
        type: "string",
        multiple: true,
        value: "SCOPE",
        of: ["sessions:read", "sessions:write", "sessions:approve", "sessions:delete"],
        about: "with create: what it may do; repeat for more",
      },
      "expires-in": { type: "string", value: "DAYS", about: "with create: default: it does not expire" },
      "requests-per-minute": { type: "string", value: "N", about: "with create: its own limit" },
      tokens: TOKENS as Value,
      database: DATABASE as Value,
      json: JSON_OUTPUT as Flag,
    },
    operands: { most: 2, completes: ["list", "create", "revoke"] },
    examples: [
      ["palimpsest database tokens create --tenant shop --name desk", "create a token for all sessions of a tenant"],
      [
        "palimpsest database tokens create --tenant shop --name app --scope sessions:read --expires-in 30",
        "to read, for 30 days",
      ],
      ["palimpsest database tokens revoke 0f3a9c5d7e21 --tenant shop", "revoke a token by its id"],
    ],
    endings: ["failed"],
  },
  "database fleet": {
    usage: "database fleet [top | retry [SESSION]] [--tenant NAME] [--database URL] [options]",
    about: "watch the workers of a service in PostgreSQL; let sessions run again that were set aside",
    more: [
      "top: show the sessions that run, wait for a worker or a person, or were set aside, the messages that no session has read yet, and the runs of each worker. The screen is refreshed until you press Ctrl-C. The role needs palimpsest_operator: palimpsest database migrate --operator-role NAME.",
      "retry: let a session run again that failed too often and was set aside. Fix the cause first: palimpsest database fleet top shows it.",
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
      ["palimpsest database fleet top", "watch the fleet"],
      ["palimpsest database fleet top --once --json | jq .queue", "read it with a program"],
      ["palimpsest database fleet retry desk-17 --tenant acme", "let a session run again"],
    ],
    endings: ["failed", "interrupted", "terminated"],
  },
  "database expire": {
    usage: "database expire [--older-than DAYS] [--for NAME=DAYS]... [options]",
    about: "delete sessions of a service in PostgreSQL that nobody has written to for some days",
    more: [
      "Goes over all tenants. Sessions that a process writes or a fork cites are kept, and the next run checks them again. Safe to run from cron, on several machines at once.",
      "The role needs palimpsest_operator: palimpsest database migrate --operator-role NAME.",
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
      ["palimpsest database expire --older-than 90", "delete sessions that are older than 90 days"],
      ["palimpsest database expire --older-than 90 --for trial=7 --for archive=forever", "with two exceptions"],
    ],
    endings: ["failed", "interrupted", "terminated"],
  },
} as const;

const SERVED_TOKENS: Value = { type: "string", value: "FOLDER", about: "the folder for tokens; default: the database" };

/** The definitions of commands about the HTTP API. */
export const SERVER_COMMANDS = {
  serve: {
    usage: "serve MODULE --database URL [--workers N] [options]",
    about: "serve sessions over HTTP, for other programs, and run them",
    more: [
      "MODULE is a JavaScript or TypeScript file that exports agent({ tenant, session }): it returns what a session is made of: provider, model, system, tools, permission, and other options of openSession. It may export timers and questionsExpireAfterMs (see docs/fleet.md).",
      "Sessions are in PostgreSQL: run palimpsest database migrate before. The role needs the rights of palimpsest database migrate --worker-role and --dispatcher-role. Any number of processes on any machines may serve and run the same sessions.",
      "The OTEL_* variables send traces and metrics to a collector, one trace for each turn (see docs/fleet.md). If the role also has palimpsest_operator, the metrics cover the work of the whole fleet.",
      "GET /v1/openapi.json describes the API; docs/http-api.md explains it. Every request needs a token: palimpsest database tokens create.",
      PASSWORDS as string,
      "The server speaks HTTP without TLS. Put a proxy with TLS before it if other machines need to reach it. On SIGTERM it refuses new requests, tells streams to connect elsewhere, takes no more sessions, and leaves turns that do not end in time to other processes.",
    ],
    options: {
      port: { type: "string", value: "N", about: "the port to listen on, 0 for any free one; default: 8787" },
      address: { type: "string", value: "IP", about: "the network address to listen on; default: 127.0.0.1" },
      database: DATABASE as Value,
      workers: {
        type: "string",
        value: "N",
        about: "how many sessions run in this process at a time; 0: only serve; default: 16",
      },
      listen: {
        type: "string",
        value: "URL",
        about: "the same database without a pooler, to be notified of changes at once; default: poll 4 times a second",
      },
      tokens: SERVED_TOKENS as Value,
      "allow-origin": {
        type: "string",
        multiple: true,
        value: "ORIGIN",
        about: "let pages of this origin use the API from a browser; repeat for more",
      },
      "requests-per-minute": {
        type: "string",
        value: "N",
        about: "the limit of one token, unless the token has its own; default: 600",
      },
      grace: {
        type: "string",
        value: "SECONDS",
        about: "how long to wait for running requests and turns at the end; default: 25",
      },
      json: { type: "boolean", about: "print a line of JSON for each request" } as Flag,
    },
    operands: { most: 1 },
    examples: [
      ["palimpsest serve ./agent.ts", "serve and run the sessions of DATABASE_URL, for programs of this machine"],
      ["palimpsest serve ./agent.ts --workers 0 --address 0.0.0.0", "only serve, to a proxy on another machine"],
    ],
    endings: ["failed", "interrupted", "terminated"],
  },
  proxy: {
    usage: "proxy [--mode observe|store] [--upstream NAME=URL] [options]",
    about: "forward an agent's requests to its model service, and report what they cost and what is lost",
    more: [
      "Set the agent's base URL to the address that is printed: ANTHROPIC_BASE_URL=http://127.0.0.1:8788/anthropic, or OPENAI_BASE_URL=http://127.0.0.1:8788/openai/v1. Only programs of this machine can connect. Requests go to the services in the list and nowhere else.",
      "observe: bytes are forwarded unchanged. Each conversation gets a log that palimpsest analyze opens, and a cache miss is reported with its cause and price.",
      "store: also replace a large new tool result by its beginning, its end and the name of a file, once. Only requests with an API key are changed, never those of a subscription. Send SIGUSR2 to stop all changes at once.",
      "--record keeps requests and responses, without credentials, for tests; --replay answers from such a recording, without a service.",
    ],
    options: {
      mode: {
        type: "string",
        value: "WORD",
        of: ["observe", "store"],
        about: "whether large tool results are stored; default: observe",
      },
      upstream: {
        type: "string",
        multiple: true,
        value: "NAME=URL",
        about: "another service, below /NAME; repeat for more; default: anthropic and openai",
      },
      port: { type: "string", value: "N", about: "the port to listen on, 0 for any free one; default: 8788" },
      logs: { type: "string", value: "FOLDER", about: "where logs are written; default: proxy in PALIMPSEST_HOME" },
      record: { type: "string", value: "FOLDER", about: "store all traffic in this folder, for tests" },
      replay: { type: "string", value: "FOLDER", about: "answer from a recording; nothing is sent anywhere" },
      json: { type: "boolean", about: "print a line of JSON for each event" } as Flag,
    },
    examples: [
      ["palimpsest proxy", "watch an agent whose base URL is http://127.0.0.1:8788/anthropic"],
      ["palimpsest proxy --upstream local=http://127.0.0.1:8000", "watch a model server on this machine, at /local"],
      ["palimpsest proxy --record ./traffic", "store the traffic"],
      ["palimpsest proxy --replay ./traffic", "answer the same requests again, in a test"],
    ],
    endings: ["failed", "interrupted", "terminated"],
  },
} as const;
