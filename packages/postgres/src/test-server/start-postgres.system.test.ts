import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startEmptyServer } from "../testing/start-empty-server.ts";
import { findPrograms } from "./start-postgres.ts";

test("the server has the version that is asked for, or the newest that is installed", async () => {
  const installed = execFileSync(join(findPrograms(), "postgres"), ["--version"], { encoding: "utf8" });
  const server = await startEmptyServer();
  const { rows } = await server.connect("postgres").query("SHOW server_version");
  await server.stop();
  expect(installed).toContain(` ${rows[0].server_version}`);
  expect(rows[0].server_version).toMatch(new RegExp(`^${process.env["POSTGRES"] ?? ""}`));
});
