import { join } from "node:path";
import { agentHomeOf } from "@palimpsest/coordination/project-places";
import { postgresTokens } from "@palimpsest/postgres";
import { createToken, SCOPES, type StoredToken, type Tokens, tokenFolder } from "@palimpsest/server";
import { table, time } from "../text/table.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { hasDatabase, inDatabase } from "./open-database.ts";
import { type Arguments, countOf, oneOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

const DAY_MS = 86_400_000;

type Values = Arguments<(typeof COMMANDS)["database tokens"]["options"]>["values"];

/** Creates, lists and revokes tokens of the HTTP API. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS["database tokens"]);
  const [word = "list", id] = positionals;
  const action = oneOf("database tokens", word, COMMANDS["database tokens"].operands.completes)!;
  const { tenant, json = false } = values;
  if (tenant === undefined)
    throw new UsageError(`Missing --tenant. Usage: palimpsest database tokens ${action} --tenant NAME`);
  if (action === "revoke" && id === undefined)
    throw new UsageError(
      `The id is missing: palimpsest database tokens revoke ID --tenant ${tenant}. palimpsest database tokens lists ids.`,
    );
  const created = action === "create" ? createdBy(values, tenant, terminal) : undefined;
  const place = { tokens: values.tokens, database: values.database, application: "palimpsest database tokens" };
  return withTokens(terminal, place, async (tokens) => {
    if (created !== undefined) {
      await tokens.add(created.stored);
      const shown = withoutDigest(created.stored);
      await terminal.print(json ? JSON.stringify({ token: created.text, ...shown }) : created.text);
      if (!json)
        terminal.say(
          `Keep it now: it is not shown again. To revoke it: palimpsest database tokens revoke ${shown.id} --tenant ${tenant}`,
        );
      return EXIT.done;
    }
    if (action === "revoke") return revoke(tokens, tenant, id!, terminal);
    const all = (await tokens.list(tenant)).map(withoutDigest);
    await terminal.print(json ? JSON.stringify(all) : listText(tenant, all));
    return EXIT.done;
  });
}

function createdBy(values: Values, tenant: string, { clock }: Terminal): ReturnType<typeof createToken> {
  const { name } = values;
  if (name === undefined)
    throw new UsageError(`The name is missing: palimpsest database tokens create --tenant ${tenant} --name TEXT`);
  const scopes = (values.scope ?? SCOPES).map((scope) => oneOf("--scope", scope, SCOPES)!);
  const days = countOf("--expires-in", values["expires-in"]);
  const requestsPerMinute = countOf("--requests-per-minute", values["requests-per-minute"]);
  const expiry = days === undefined ? {} : { expiresAtMs: clock.now() + days * DAY_MS };
  const limit = requestsPerMinute === undefined ? {} : { requestsPerMinute };
  return createToken({ tenant, name, scopes, ...expiry, ...limit }, clock);
}

async function revoke(tokens: Tokens, tenant: string, id: string, { print, say }: Terminal): Promise<number> {
  if ((await tokens.revoke(tenant, id)) === "revoked") {
    await print(`Revoked ${id}.`);
    return EXIT.done;
  }
  say(`${tenant} has no token ${id}. palimpsest database tokens list --tenant ${tenant} lists ids.`);
  return EXIT.failed;
}

type ShownToken = Omit<StoredToken, "digest">;

function withoutDigest({ digest: _, ...shown }: StoredToken): ShownToken {
  return shown;
}

function listText(tenant: string, tokens: readonly ShownToken[]): string {
  if (tokens.length === 0)
    return `${tenant} has no tokens. Create one: palimpsest database tokens create --tenant ${tenant} --name TEXT`;
  const rows = tokens.map(({ id, name, scopes, createdAtMs, expiresAtMs }) => [
    id,
    name,
    scopes.map((scope) => scope.replace("sessions:", "")).join(" "),
    time(createdAtMs),
    expiresAtMs === undefined ? "never" : time(expiresAtMs),
  ]);
  return table([["id", "name", "may", "created", "expires"], ...rows]);
}

interface TokenPlace {
  /** A folder. @default the database, or the user's folder without one */
  readonly tokens: string | undefined;
  readonly database: string | undefined;
  /** The name of this program in the database's list of connections. */
  readonly application: string;
}

/** Opens the place of tokens while `work` runs: a given folder, a database, or the user's folder. */
function withTokens<Result>(
  terminal: Terminal,
  { tokens, database, application }: TokenPlace,
  work: (tokens: Tokens) => Promise<Result>,
): Promise<Result> {
  const { environment } = terminal;
  if (tokens === undefined && hasDatabase(environment, database))
    return inDatabase(terminal, { database, application }, (pool) => work(postgresTokens({ pool })));
  return work(tokenFolder(tokens ?? join(agentHomeOf(environment), "tokens")));
}
