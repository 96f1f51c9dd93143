import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { answer } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

const KEY = "sk-ant-a-key-that-nobody-may-see-9876";
/** Without a keyring tool, the key goes to the file. */
const environment = { ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "", DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere" };

test("a key is tested, stored for this user only, used by doctor and turns, replaced and removed", async () => {
  const project = temporaryProject();
  const cli = await startCli(project, () => answer("Hello."));
  const key = (args: readonly string[], input = "") => cli.run(["key", ...args], { environment, input });
  expect((await key([])).out).toMatch(/anthropic +none/);
  expect(await cli.run(["doctor"], { environment })).toMatchObject({
    code: 1,
    out: expect.stringContaining("no key is stored (palimpsest key set)"),
  });

  const stored = await key(["set"], `${KEY}\n`);
  expect(stored).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^The key for anthropic \(\.\.\.9876\) is stored in/),
  });
  const file = join(project.home, ".palimpsest", "keys.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const listed = await key([]);
  expect(listed.out).toMatch(/anthropic +\.\.\.9876 +.*keys\.json/);
  expect([stored.out, stored.said, listed.out, listed.said].join("")).not.toContain(KEY);
  expect((await cli.run(["doctor"], { environment })).out).toMatch(/ok +provider: anthropic/);
  expect((await cli.run(["-p", "Hello"], { environment })).out).toBe("Hello.\n");

  expect((await key(["set"], `${KEY}-new\n`)).code).toBe(0);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ anthropic: `${KEY}-new` });
  expect((await key(["remove"])).out).toContain("Removed the key for anthropic (...-new)");
  expect(await key(["remove"])).toMatchObject({ code: 1, said: expect.stringContaining("No key for anthropic") });
  expect((await key(["set"], "\n")).said).toContain("No key was entered");
});

test("a key that the provider refuses is not stored", async () => {
  const project = temporaryProject();
  const cli = await startCli(project, () => answer(""));
  const nowhere = { ...environment, ANTHROPIC_BASE_URL: "http://127.0.0.1:9" };
  const refused = await cli.run(["key", "set"], { environment: nowhere, input: KEY });
  expect(refused).toMatchObject({ code: 1, said: expect.stringContaining("Nothing was changed.") });
  expect(refused.said).not.toContain(KEY);
  expect(JSON.parse((await cli.run(["key", "--json"], { environment })).out)[0]).toEqual({
    provider: "anthropic",
    from: "none",
  });
});
