import { DATABASE, PASSWORDS } from "../cli/database-commands.ts";
import { type Flag, JSON_OUTPUT, type Value } from "./definition.ts";

const TOKENS: Value = {
  type: "string",
  value: "FOLDER",
  about: "where tokens are kept, if there is no database; default: tokens in PALIMPSEST_HOME",
};
const SERVED_TOKENS: Value = { type: "string", value: "FOLDER", about: "where tokens are kept; default: the database" };

/** Commands about the HTTP API. */
export const SERVER_COMMANDS = {
  serve: {
    usage: "serve MODULE --database URL [--workers N] [options]",
    about: "serve sessions over HTTP, for other programs, and run them",
    more: [
      "MODULE is a JavaScript or TypeScript file that exports agent({ tenant, session }): it returns what a session is made of: provider, model, system, tools, permission, and other options of openSession. It may export timers and questionsExpireAfterMs (see docs/fleet.md).",
      "Sessions are in PostgreSQL: run palimpsest migrate before. The role needs the rights of palimpsest migrate --worker-role and --dispatcher-role. Any number of processes on any machines may serve and run the same sessions.",
      "The OTEL_* variables send traces and metrics to a collector, one trace for each turn (see docs/fleet.md). If the role has palimpsest_operator, too, the metrics tell what the whole fleet has to do.",
      "GET /v1/openapi.json describes the API; docs/http-api.md explains it. Every request needs a token: palimpsest token create.",
      PASSWORDS as string,
      "The server speaks HTTP without TLS. Put a proxy with TLS before it if others are to reach it. On SIGTERM it refuses new requests, tells streams to connect elsewhere, takes no more sessions, and leaves turns that do not end in time to other processes.",
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
        about: "the same database without a pooler, to hear of news at once; default: look for news 4 times a second",
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
        about: "of one token, unless the token has a limit of its own; default: 600",
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
    about: "stand between an agent and its model service, and report what it spends and loses",
    more: [
      "Set the agent's base URL to the address that is printed: ANTHROPIC_BASE_URL=http://127.0.0.1:8788/anthropic, or OPENAI_BASE_URL=http://127.0.0.1:8788/openai/v1. Only programs of this machine can connect. Requests go to the services in the list and nowhere else.",
      "observe: bytes go both ways untouched. Each conversation gets a log that palimpsest analyze opens, and a cache miss is reported with its cause and price.",
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
      record: { type: "string", value: "FOLDER", about: "keep all traffic there, for tests" },
      replay: { type: "string", value: "FOLDER", about: "answer from a recording; nothing is sent anywhere" },
      json: { type: "boolean", about: "print a line of JSON for each event" } as Flag,
    },
    examples: [
      ["palimpsest proxy", "watch an agent whose base URL is http://127.0.0.1:8788/anthropic"],
      ["palimpsest proxy --upstream local=http://127.0.0.1:8000", "watch a model server on this machine, at /local"],
      ["palimpsest proxy --record ./traffic", "keep the traffic"],
      ["palimpsest proxy --replay ./traffic", "answer the same requests again, in a test"],
    ],
    endings: ["failed", "interrupted", "terminated"],
  },
  token: {
    usage: "token [list | create | revoke ID] --tenant NAME [options]",
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
      ["palimpsest token create --tenant shop --name desk", "create a token for all sessions of a tenant"],
      [
        "palimpsest token create --tenant shop --name app --scope sessions:read --expires-in 30",
        "to read, for 30 days",
      ],
      ["palimpsest token revoke 0f3a9c5d7e21 --tenant shop", "revoke a token by its id"],
    ],
    endings: ["failed"],
  },
} as const;
