import { type StartedDatabase, startDatabase } from "@palimpsest/postgres/test-server";
import { afterAll, beforeAll, describe, test } from "vitest";
import { testScheduler } from "./test-scheduler.ts";
import { type Shared, shareDatabase, shareFolder } from "./testing/open-world.ts";

let database: StartedDatabase;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.stop());

function testOver(share: () => Promise<Shared>): void {
  testScheduler({
    test,
    async place() {
      const { tenant, connect, close } = await share();
      return { tenant, open: connect, remove: close };
    },
  });
}

describe("in a SQLite file:", () => testOver(shareFolder));

describe("in PostgreSQL:", () => testOver(() => shareDatabase(database)));
