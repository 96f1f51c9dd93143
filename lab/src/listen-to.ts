import type { ListenConnection } from "@palimpsest/postgres";
import pg from "pg";

/** Connects straight to a database, to listen for news. */
export function listenTo({ host }: { readonly host: string }): () => Promise<ListenConnection> {
  return async () => {
    const client = new pg.Client({ host, user: "dispatcher", database: "postgres" });
    await client.connect();
    return client;
  };
}
