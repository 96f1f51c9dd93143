import { join } from "node:path";
import { agentHomeOf } from "@palimpsest/coordination/project-places";
import { postgresTokens } from "@palimpsest/postgres";
import { type Tokens, tokenFolder } from "@palimpsest/server";
import { hasDatabase, inDatabase } from "./open-database.ts";
import type { Terminal } from "./terminal.ts";

export interface TokenPlace {
  /** A folder. @default a database if there is one, or the user's folder */
  readonly tokens: string | undefined;
  readonly database: string | undefined;
  /** How the database shows this program to its administrator. */
  readonly application: string;
}

/** Opens the place where tokens are kept while `work` runs: a folder that is named, a database, or the folder of this user. */
export function withTokens<Result>(
  terminal: Terminal,
  { tokens, database, application }: TokenPlace,
  work: (tokens: Tokens) => Promise<Result>,
): Promise<Result> {
  const { environment } = terminal;
  if (tokens === undefined && hasDatabase(environment, database))
    return inDatabase(terminal, { database, application }, (pool) => work(postgresTokens({ pool })));
  return work(tokenFolder(tokens ?? join(agentHomeOf(environment), "tokens")));
}
