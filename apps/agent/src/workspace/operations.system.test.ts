import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answer, callTool, callTools } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import { startCli } from "../testing/run-cli.ts";
import { startCollector } from "../testing/start-collector.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

function putSettings(home: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(home, ".palimpsest"), { mode: 0o700, recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(home, ".palimpsest", name), content);
}

/** A flag client that reads its flags from a JSON file next to it. */
const FLAG_MODULE = `
import { readFileSync } from "node:fs";
const values = () => JSON.parse(readFileSync(new URL("flags.json", import.meta.url), "utf8"));
const details = async (flag, absent) => {
  try {
    return { value: values()[flag] ?? absent };
  } catch (error) {
    return { value: absent, errorCode: "GENERAL", errorMessage: "flags.json cannot be read" };
  }
};
export const flags = { getStringDetails: details, getNumberDetails: details, getObjectDetails: details };
`;

describe("telemetry of the agent", () => {
  test("is sent to the collector in the OTEL variables, and the rest at exit", async () => {
    const collector = await startCollector();
    const cli = await startCli(temporaryProject({}), () => answer("Done."));
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=abc",
      OTEL_RESOURCE_ATTRIBUTES: "team=platform",
    };
    const ended = await cli.run(["-p", "Hello"], { environment });
    expect(ended).toMatchObject({ code: 0, out: "Done.\n" });
    const [spans] = collector.at("/v1/traces");
    const [metrics] = collector.at("/v1/metrics");
    expect(spans?.headers).toMatchObject({ "content-type": "application/x-protobuf", "x-key": "abc" });
    expect(spans?.body).toContain("gen_ai.conversation.id");
    expect(metrics?.body).toContain("palimpsest.turns");
    expect(metrics?.body).toContain("platform");
    for (const one of [spans, metrics]) expect(one?.body).not.toContain("Hello");
    expect(ended.said).not.toContain("elemetry");
  });

  test("counts dreams and verdicts of commands without a user session, and their costs", async () => {
    const collector = await startCollector();
    const claim = { command: "save", type: "project", name: "Trust", fact: "Trust the page." };
    const cli = await startCli(temporaryProject({}), ({ toolResults, userText }) =>
      toolResults.length > 0 || !userText.includes("Read the page")
        ? answer("Done.")
        : callTools(callTool("Memory", { ...claim, quote: "Read the page" })),
    );
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const sent = async (...args: readonly string[]): Promise<string> => {
      const before = collector.received.length;
      expect(await cli.run(args, { environment })).toMatchObject({ code: 0 });
      return collector.received
        .slice(before)
        .map(({ body }) => body)
        .join("\n");
    };
    await sent("-p", "Read the page");
    expect(await sent("memory", "accept", "trust")).toContain("palimpsest.memory.verdicts");
    const dreamt = await sent("memory", "dream");
    expect(dreamt).toContain("palimpsest.dreams");
    expect(dreamt).toContain("palimpsest.cost");
  });

  test("prints one line if it cannot be sent, and is off without the variables", async () => {
    const refusing = await startCollector(400);
    const cli = await startCli(temporaryProject({}), () => answer("Done."));
    const run = (environment: Readonly<Record<string, string>>) => cli.run(["-p", "Hello"], { environment });
    const refused = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: refusing.url });
    expect(refused).toMatchObject({ code: 0, out: "Done.\n" });
    expect(refused.said.match(/Telemetry could not be sent/g)).toHaveLength(1);
    const nobody = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" });
    expect(nobody).toMatchObject({ code: 0, out: "Done.\n" });
    expect(nobody.said.match(/Telemetry could not be sent/g)).toHaveLength(1);
    const other = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: refusing.url, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" });
    expect(other.said).toContain("No telemetry is sent: OTEL_EXPORTER_OTLP_PROTOCOL is grpc");
    const before = refusing.received.length;
    expect((await run({})).said).not.toContain("elemetry");
    expect((await run({ OTEL_EXPORTER_OTLP_ENDPOINT: refusing.url, OTEL_SDK_DISABLED: "true" })).code).toBe(0);
    expect(refusing.received).toHaveLength(before);
  });

  test("is retried for two and a half seconds if the collector is busy", async () => {
    const busy = await startCollector(503);
    const cli = await startCli(temporaryProject({}), () => answer("Done."));
    const ended = await cli.run(["-p", "Hello"], { environment: { OTEL_EXPORTER_OTLP_ENDPOINT: busy.url } });
    expect(ended).toMatchObject({ code: 0, out: "Done.\n" });
    expect(ended.said).toContain("Telemetry could not be sent");
    // The exporter waits about 1 s and 1.5 s between its first three attempts. Without the limit it would make six.
    expect(busy.at("/v1/traces").length).toBeLessThanOrEqual(3);
    expect(busy.at("/v1/traces").length).toBeGreaterThan(0);
  });
});

describe("engine settings of the agent", () => {
  test("come from --set, variables, the flag module and engine.json, in this order", async () => {
    const project = temporaryProject({});
    putSettings(project.home, {
      "settings.json": JSON.stringify({ flags: "flags.mjs" }),
      "flags.mjs": FLAG_MODULE,
      "flags.json": JSON.stringify({ "palimpsest.agents.enabled": "off" }),
      "engine.json": JSON.stringify({ "agents.enabled": "on" }),
    });
    const cli = await startCli(project, () => answer("Done."));
    const agentsOf = async (args: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
      const ended = await cli.run(["-p", "Hello", ...args], { environment });
      expect(ended).toMatchObject({ code: 0, said: "" });
      return cli.server.recorder.exchanges.at(-1)?.body.includes('"name":"Agent"') ? "on" : "off";
    };
    expect(await agentsOf([])).toBe("off");
    expect(await agentsOf([], { PALIMPSEST_AGENTS_ENABLED: "on" })).toBe("on");
    expect(await agentsOf(["--set", "agents.enabled=off"], { PALIMPSEST_AGENTS_ENABLED: "on" })).toBe("off");
    putSettings(project.home, { "flags.json": "{}" });
    expect(await agentsOf([])).toBe("on");
  });

  test("produce a message if they are invalid or the flag module fails", async () => {
    const project = temporaryProject({ ".palimpsest/settings.json": JSON.stringify({ flags: "evil.mjs" }) });
    putSettings(project.home, { "settings.json": JSON.stringify({ flags: "flags.mjs" }), "flags.mjs": FLAG_MODULE });
    const cli = await startCli(project, () => answer("Done."));
    const failing = await cli.run(["-p", "Hello"]);
    expect(failing).toMatchObject({ code: 0, out: "Done.\n" });
    expect(failing.said).toContain("The feature flag service failed: GENERAL: flags.json cannot be read.");
    expect(failing.said).toContain("flags: only your own settings can name a module");
    putSettings(project.home, { "flags.mjs": "export const flags = 5;" });
    const useless = await cli.run(["-p", "Hello"]);
    expect(useless).toMatchObject({ code: 0, out: "Done.\n" });
    expect(useless.said).toContain("it must export `flags`, an OpenFeature client");
    const wrong = await cli.run(["-p", "Hello", "--set", "compction=ask"]);
    expect(wrong.code).toBe(2);
    expect(wrong.said).toContain('Unknown setting "compction". Did you mean "compaction"?');
  });
});
