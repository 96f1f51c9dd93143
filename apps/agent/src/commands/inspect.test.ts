import { answer } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

test("inspect prints an address that shows the request of a session as it was sent", async () => {
  const project = temporaryProject();
  const cli = await startCli(project, () => answer("Hi there."));
  expect((await cli.run(["-p", "Hello."])).code).toBe(0);
  const { code, said } = await cli.run(["inspect", "nothing-of-this-name"]);
  expect({ code, said }).toMatchObject({ said: expect.stringContaining("no session") });
  expect(code).not.toBe(0);

  const started = cli.start(["inspect", "--live"], { input: "open" });
  const address = await new Promise<URL>((resolve, reject) => {
    let out = "";
    started.process.stdout.on("data", (bytes) => {
      out += String(bytes);
      const found = /http:\/\/127\.0\.0\.1:\d+\/#\S+/.exec(out)?.[0];
      if (found !== undefined) resolve(new URL(found));
    });
    started.process.once("exit", () => reject(new Error(out)));
  });
  const given = new URLSearchParams(address.hash.slice(1));
  const entered = await fetch(`${address.origin}/api/enter`, { method: "POST", body: given.get("token")! });
  const cookie = entered.headers.getSetCookie()[0]!.split(";")[0]!;
  const get = async (path: string) =>
    JSON.parse(await (await fetch(address.origin + path, { headers: { cookie } })).text());
  const at = `/api/sessions/${given.get("session")}`;
  await get(at);
  const { points } = await get(`${at}/timeline`);
  const { text } = await get(`${at}/requests/${points[0].entry}/body`);
  const sent = cli.server.recorder.exchanges.at(-1)!;
  expect(JSON.stringify(sent)).toContain(JSON.parse(text).messages.at(-1).content.at(-1).text);
  started.process.kill("SIGTERM");
  expect((await started.ended).code).toBe(0);
});
