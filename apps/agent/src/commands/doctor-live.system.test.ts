import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answer, callTool, callTools, type Script, think } from "@palimpsest/provider-simulator";
import { expect, onTestFinished, test } from "vitest";
import { startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import type { LiveReport } from "./live/run-probes.ts";

/** A model that follows its instructions. */
const obedient: Script = ({ tools, toolResults }) => {
  if (toolResults.length > 0) return answer("4217");
  return tools.length > 0 ? think("391, then.", callTools(callTool("look_up", { key: "391" }))) : answer("ready");
};

/** Starts a proxy that modifies the service's answers. */
async function startProxy(target: string, spoil: (answer: string, path: string) => string): Promise<string> {
  const proxy = createServer(async (incoming, outgoing) => {
    const body = await Array.fromAsync(incoming);
    const { host: _, "content-length": __, ...headers } = incoming.headers as Record<string, string>;
    const response = await fetch(`${target}${incoming.url}`, {
      method: incoming.method ?? "GET",
      headers,
      ...(body.length === 0 ? {} : { body: Buffer.concat(body) }),
    });
    outgoing.writeHead(response.status, { "content-type": response.headers.get("content-type") ?? "" });
    outgoing.end(spoil(await response.text(), incoming.url ?? ""));
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

const stateOf = ({ checks }: LiveReport, name: string) => checks.find(({ check }) => check === name)?.state;
const differencesOf = ({ checks }: LiveReport) => checks.flatMap(({ differences }) => differences);

test("a service that matches the simulator passes every check without differences", async () => {
  const cli = await startCli(temporaryProject(), obedient);
  const { code, out, said } = await cli.run(["doctor", "--live"]);
  expect({ code, said }).toMatchObject({ code: 0 });
  // The price is printed before anything is sent, and the measured cost at the end.
  expect(said.split("\n")[0]).toMatch(/^anthropic, model claude-sonnet-5-5: at most 9 calls, about \$0\.0\d+, at most/);
  expect(out).toMatch(/9 calls, \$0\.00\d+ by the usage that the provider reported/);
  expect(out).toContain("No difference from the simulator of claude-sonnet-5-5");
  for (const check of [
    "model",
    "answer",
    "streaming",
    "counting",
    "tools",
    "thinking",
    "cache",
    "output limit",
    "too long",
  ])
    expect(out).toMatch(new RegExp(`^ok +${check}: `, "m"));
  expect(cli.server.recorder.exchanges.length).toBe(9);
  // The service rejects only the two excessive requests.
  expect(cli.refused().map(({ outcome }) => outcome.kind === "refused" && outcome.status)).toEqual([400, 400]);
});

test.each([
  { api: "openai", model: "gpt-6-luna", ok: ["answer", "counting", "tools", "thinking", "cache", "too long"] },
  { api: "openai-chat", model: "llama", ok: ["answer", "streaming", "tools", "output limit", "too long"] },
])("$api: a service that matches the simulator passes", async ({ api, model, ok }) => {
  const cli = await startCli(temporaryProject(), obedient);
  const base = api === "openai" ? [] : ["--base-url", `${cli.server.url}/v1`];
  const environment = { OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${cli.server.url}/v1` };
  const args = ["doctor", "--live", "--json", "--provider", api, "--model", model, "--max-usd", "1", ...base];
  const { code, out } = await cli.run(args, { environment });
  const report: LiveReport = JSON.parse(out);
  expect(differencesOf(report)).toEqual([]);
  expect(report.checks.filter(({ check, state }) => ok.includes(check) && state !== "ok")).toEqual([]);
  expect(code).toBe(0);
  expect(report.calls).toBe(cli.server.recorder.exchanges.length);
});

test("missing cache counts are named, and are a problem because the cost depends on them", async () => {
  const cli = await startCli(temporaryProject(), obedient);
  const url = await startProxy(cli.server.url, (said) =>
    said.replaceAll(/"cache_(?:read|creation)_input_tokens":\d+,/g, ""),
  );
  const { code, out } = await cli.run(["doctor", "--live", "--json"], { environment: { ANTHROPIC_BASE_URL: url } });
  const report: LiveReport = JSON.parse(out);
  expect(code).toBe(1);
  expect(stateOf(report, "cache")).toBe("problem");
  const fields = differencesOf(report).map(({ field, actual, simulated }) => `${field}: ${actual} / ${simulated}`);
  expect(fields).toContain("message_delta.usage.cache_read_input_tokens: undefined / number");
  expect(fields).toContain("tokens read by the second request: none / some");
  // A difference is reported once, not by every check with a usage.
  expect(new Set(fields).size).toBe(fields.length);
  expect(fields.filter((field) => !/cache|tokens (read|written)/.test(field))).toEqual([]);
});

test("an unknown refusal message is named, with both texts", async () => {
  const cli = await startCli(temporaryProject(), obedient);
  const url = await startProxy(cli.server.url, (said) => said.replace("prompt is too long:", "that was a lot:"));
  const { code, out } = await cli.run(["doctor", "--live"], { environment: { ANTHROPIC_BASE_URL: url } });
  expect(code).toBe(1);
  expect(out).toMatch(/^problem +too long: rejected with a message that the engine does not know as an overflow/m);
  expect(out).toContain(
    'differs  error.message: "that was a lot: N tokens > N maximum" (simulator: "prompt is too long',
  );
  expect(out).toMatch(/2 differences from the simulator/);
});

test("a smaller window than our table's is a problem, but another order of events is not", async () => {
  const cli = await startCli(temporaryProject(), obedient);
  const url = await startProxy(cli.server.url, (said, path) =>
    path.startsWith("/v1/models")
      ? said.replace('"max_input_tokens":1000000', '"max_input_tokens":200000')
      : said.replace("event: message_delta", 'event: surprise\ndata: {"type":"surprise"}\n\nevent: message_delta'),
  );
  const { code, out } = await cli.run(["doctor", "--live", "--json"], { environment: { ANTHROPIC_BASE_URL: url } });
  const report: LiveReport = JSON.parse(out);
  expect(stateOf(report, "model")).toBe("problem");
  expect(stateOf(report, "streaming")).toBe("ok");
  expect(differencesOf(report).find(({ field }) => field === "events")?.actual).toMatch(/surprise, message_delta/);
  expect(code).toBe(1);
});

test("reports a rejected key or an unreachable service after one call", async () => {
  const cli = await startCli(temporaryProject(), obedient);
  let calls = 0;
  const shut = createServer((_, outgoing) => {
    calls++;
    outgoing.writeHead(401, { "content-type": "application/json" });
    outgoing.end('{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}');
  });
  await new Promise<void>((resolve) => shut.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(shut.address() as AddressInfo).port}`;
  const refused = await cli.run(["doctor", "--live"], { environment: { ANTHROPIC_BASE_URL: url } });
  shut.close();
  expect(refused).toMatchObject({
    code: 1,
    out: expect.stringMatching(/problem +model: the provider rejected the key/),
  });
  expect(calls).toBe(1);
  const nobody = await cli.run(["doctor", "--live"], { environment: { ANTHROPIC_BASE_URL: url } });
  expect(nobody).toMatchObject({ code: 1, out: expect.stringMatching(/problem +model: no answer/) });
});

test("explains a missing key, and sends nothing for an invalid command line", async () => {
  const cli = await startCli(temporaryProject(), obedient);
  const keyless = await cli.run(["doctor", "--live"], { environment: { ANTHROPIC_API_KEY: "" } });
  expect(keyless).toMatchObject({ code: 1, out: "" });
  expect(keyless.said).toContain("export ANTHROPIC_API_KEY=");
  for (const args of [
    ["--server", "vLLM"],
    ["--live", "--max-usd", "much"],
    ["--live", "--server", "vllm2"],
  ]) {
    expect((await cli.run(["doctor", ...args])).code).toBe(2);
  }
  expect(cli.server.recorder.exchanges).toEqual([]);
});
