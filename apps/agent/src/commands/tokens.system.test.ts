import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type StartedDatabase, startDatabase } from "@palimpsest/postgres/test-server";
import { answer } from "@palimpsest/provider-simulator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

let database: StartedDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

test.each(["a folder", "PostgreSQL"])(
  "creates a token in %s, lists it without its secret, and revokes it",
  async (place) => {
    const project = temporaryProject();
    const cli = await startCli(project, () => answer(""));
    const folder = join(project.folder, "tokens");
    const environment = { PGHOST: database.host, PGDATABASE: "postgres", PGUSER: "service" };
    const token = (...args: readonly string[]) =>
      place === "PostgreSQL"
        ? cli.run(["database", "tokens", ...args, "--tenant", "shop"], { environment })
        : cli.run(["database", "tokens", ...args, "--tenant", "shop", "--tokens", folder]);
    expect((await token()).out).toContain("shop has no tokens");
    const created = await token("create", "--name", "desk", "--scope", "sessions:read", "--expires-in", "30");
    expect(created).toMatchObject({ code: 0, out: expect.stringMatching(/^pal_c2hvcA_[0-9a-f]{12}_[\w-]{43}\n$/) });
    const [stored] = JSON.parse((await token("--json")).out);
    expect(stored).toMatchObject({
      tenant: "shop",
      name: "desk",
      scopes: ["sessions:read"],
      expiresAtMs: expect.any(Number),
    });
    expect(stored).not.toHaveProperty("digest");
    expect((await token()).out).toMatch(/desk +read/);
    if (place === "a folder") {
      const kept = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
      expect(kept).toHaveLength(1);
      expect(kept[0]).not.toContain(created.out.trim().slice(-43));
    }
    expect((await token("revoke", stored.id)).code).toBe(0);
    expect((await token("revoke", stored.id)).code).toBe(1);
  },
);

test("names missing and unknown arguments", async () => {
  const cli = await startCli(temporaryProject(), () => answer(""));
  for (const wrong of [["create"], ["revoke"], ["make"], ["create", "--name", "b", "--scope", "all"]])
    expect([wrong, (await cli.run(["database", "tokens", ...wrong, "--tenant", "shop"])).code]).toEqual([wrong, 2]);
  expect((await cli.run(["database", "tokens"])).code).toBe(2);
});
