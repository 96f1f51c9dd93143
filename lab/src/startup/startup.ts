import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAnthropic, serve } from "@palimpsest/provider-simulator";
import type { Experiment } from "../experiment.ts";
import { median, round } from "../statistics.ts";

const RUNS = { quick: 5, full: 15 } as const;

/**
 * How long the built agent takes to start, against Node in the same run: its bare start, and one that does nothing but send a
 * request, which takes two to three times as long as a bare start, since Node loads its client then.
 */
export const startupExperiment: Experiment = {
  name: "startup",
  about:
    "the built agent's --version, and -p until its first request arrives, over `node -e 0` and over a bare request of Node (after `npm run build`)",
  async run({ size }) {
    const main = fileURLToPath(new URL("dist/main.js", import.meta.resolve("palimpsest-agent/package.json")));
    if (!existsSync(main)) throw new Error("The agent is not built. Run `npm run build` first.");
    const base = mkdtempSync(join(tmpdir(), "palimpsest-startup-"));
    let onRequest = (): void => {};
    const server = await serve({ faces: [createAnthropic()], watch: () => onRequest() });
    const options = { cwd: join(base, "project"), env: environmentOf(base, server.url) };
    mkdirSync(options.cwd);
    mkdirSync(options.env.HOME);
    const start = (args: readonly string[]): ChildProcess =>
      spawn(process.execPath, ["--no-warnings", ...args], { ...options, stdio: ["ignore", "ignore", "inherit"] });

    async function untilEnd(args: readonly string[]): Promise<number> {
      const startedAtMs = performance.now();
      const [code] = await once(start(args), "close");
      if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}.`);
      return performance.now() - startedAtMs;
    }
    async function untilRequest(args: readonly string[]): Promise<number> {
      const startedAtMs = performance.now();
      const arrived = new Promise<number>((resolve) => {
        onRequest = () => resolve(performance.now() - startedAtMs);
      });
      const child = start(args);
      const ended = once(child, "close");
      const tookMs = await Promise.race([arrived, ended.then(() => Number.NaN)]);
      await ended;
      if (Number.isNaN(tookMs)) throw new Error(`${args.join(" ")} ended without a request.`);
      return tookMs;
    }

    const firstTurn = [main, "-p", "Hello"];
    const bareRequest = ["-e", `fetch("${server.url}/v1/messages", { method: "POST", body: "{}" })`];
    try {
      // As on any day but the first: Node has seen the code before.
      await untilRequest(firstTurn);
      const [nodeMs, versionMs, fetchMs, requestMs]: [number[], number[], number[], number[]] = [[], [], [], []];
      for (let run = 0; run < RUNS[size]; run++) {
        // In turn, so that all of them see the same machine.
        nodeMs.push(await untilEnd(["-e", "0"]));
        versionMs.push(await untilEnd([main, "--version"]));
        fetchMs.push(await untilRequest(bareRequest));
        requestMs.push(await untilRequest(firstTurn));
      }
      const [node, version] = [median(nodeMs), median(versionMs)];
      const [fetched, request] = [median(fetchMs), median(requestMs)];
      return {
        version_ratio: round(version / node),
        first_request_ratio: round(request / node),
        first_request_over_bare_request: round(request / fetched),
        node_ms: round(node),
        bare_request_ms: round(fetched),
        version_ms: round(version),
        first_request_ms: round(request),
      };
    } finally {
      await server.close();
      rmSync(base, { recursive: true, force: true });
    }
  },
};

function environmentOf(base: string, url: string): { readonly HOME: string } & NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return { PATH, HOME: join(base, "home"), ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: url };
}
