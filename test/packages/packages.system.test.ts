import { execFileSync, spawn, spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { answer, createAnthropic, serve } from "@palimpsest/provider-simulator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { PACKAGES } from "../../scripts/packages.ts";
import { findSnippets } from "../../scripts/snippets.ts";
import { firstFiveMinutes } from "../first-five-minutes/first-five-minutes.ts";
import { OLDEST_PEERS } from "../peers/oldest-peers.ts";
import { followStartGuide } from "../start-guide/start-guide.ts";
import { writeHome } from "../transcripts/write-home.ts";
import { type Installed, type InstalledPackages, packAndInstall, ROOT } from "./pack-all.ts";

let installed: InstalledPackages;

beforeAll(async () => {
  installed = await packAndInstall();
}, 1_800_000);

afterAll(() => rmSync(installed.base, { recursive: true, force: true }), 600_000);

const NAMES = PACKAGES.map(({ manifest }) => manifest.name);
const find = (name: string): Installed => installed.packages.find(({ manifest }) => manifest.name === name)!;

describe.each(NAMES)("the package %s", (name) => {
  test("has a readme, a license, and says where it comes from and what it runs on", () => {
    const { files, manifest } = find(name);
    expect(files).toEqual(expect.arrayContaining(["README.md", "LICENSE", "package.json"]));
    expect(manifest).toMatchObject({
      license: "Apache-2.0",
      description: expect.stringMatching(/\w/),
      homepage: expect.stringContaining("https://"),
      bugs: expect.stringContaining("https://"),
      repository: { type: "git", directory: expect.stringMatching(/^(packages|adapters|apps)\//) },
      engines: { node: expect.stringMatching(/\d/) },
    });
    expect(manifest["keywords"]).not.toEqual([]);
    expect(manifest["private"]).toBeUndefined();
    expect(manifest["devDependencies"]).toBeUndefined();
  });

  test("has no tests inside, nor what only tests use", () => {
    const { files } = find(name);
    expect(files.filter((file) => /\.test\.|\/testing\/|\.slow\.|tsconfig/.test(file))).toEqual([]);
  });

  test("depends on exact versions of the others, and on nothing that neither its code nor its types use", () => {
    const { folder, files, manifest } = find(name);
    const code = files
      .filter((file) => /\.(js|d\.ts)$/.test(file))
      .map((file) => readFileSync(join(folder, file), "utf8"));
    for (const [dependency, range] of Object.entries(manifest.dependencies ?? {})) {
      if (NAMES.includes(dependency))
        expect([dependency, range]).toEqual([dependency, find(dependency).manifest.version]);
      const uses = new RegExp(`["'\`]${dependency}["'\`/]`);
      expect(
        code.some((source) => uses.test(source)),
        `${name} uses ${dependency}`,
      ).toBe(true);
    }
  });

  test("has types and code for every subpath", () => {
    const { files, manifest } = find(name);
    for (const [subpath, target] of Object.entries(manifest.exports)) {
      const paths = typeof target === "string" ? [target] : [target["types"]!, target["default"]!];
      for (const path of paths) expect(files, `${subpath} of ${name}`).toContain(path.replace(/^\.\//, ""));
    }
  });
});

const LIBRARIES = PACKAGES.filter(({ folder }) => !folder.startsWith("apps/")).map(({ manifest }) => manifest.name);

/** The readme of a package with several entry points has a program for each; of the others, the first one counts. */
const PROGRAMS_PER_PACKAGE: Readonly<Record<string, number>> = { "@palimpsest/ai-sdk": 3, "@palimpsest/observe": 4 };
const PROGRAMS = LIBRARIES.flatMap((name) =>
  Array.from({ length: PROGRAMS_PER_PACKAGE[name] ?? 1 }, (_, index) => ({ name, number: index + 1 })),
);

/** A program of a package's readme, in the folder where everything was installed. */
function writeProgram({ name, number }: { readonly name: string; readonly number: number }): string {
  const program = findSnippets(name, readFileSync(join(find(name).folder, "README.md"), "utf8"))[number - 1];
  if (program === undefined) throw new Error(`The readme of ${name} has no program ${number}.`);
  const file = `program-${number}-of-${name.replaceAll(/\W+/g, "-")}.ts`;
  writeFileSync(join(installed.folder, file), program.code);
  return file;
}

test.each(PROGRAMS)("program $number in the readme of $name runs where the packages are installed", (program) => {
  const { folder, environment } = installed;
  execFileSync(process.execPath, [writeProgram(program)], { cwd: folder, env: environment, stdio: "pipe" });
});

test("importing the engine reads few files, because each of them delays the start of a program", () => {
  const code = `import { registerHooks } from "node:module";
let files = 0;
registerHooks({ load(url, context, next) { files++; return next(url, context); } });
await import("palimpsest");
console.log(files);`;
  const options = { cwd: installed.folder, env: installed.environment, encoding: "utf8" } as const;
  const files = Number(execFileSync(process.execPath, ["--input-type=module", "--eval", code], options));
  expect(files).toBeGreaterThan(0);
  expect(files).toBeLessThanOrEqual(5);
});

test("the inspector of the package starts its what-if replays in a thread", () => {
  const code = `import Anthropic from "@anthropic-ai/sdk";
import { startInspector, storeSource } from "@palimpsest/observe/inspector";
import { answer, createAnthropic, fetchInProcess } from "@palimpsest/provider-simulator";
import { memoryStore, openSession, readStream } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";

const fetchAnswer = fetchInProcess({ face: createAnthropic({ script: () => answer("Done.") }) });
const provider = anthropic(new Anthropic({ apiKey: "none", baseURL: "http://simulator.local", fetch: fetchAnswer }));
const store = memoryStore();
const session = await openSession({ store, provider, model: "claude-opus-5-5" });
await session.append("Hello");
const body = await session.prepare();
await session.record(await readStream(provider.send(body)), body);
await session.close();
const inspector = await startInspector({ sources: [storeSource({ store, name: "memory" })], providerOf: async () => provider });
const token = /#token=([^&]+)/.exec(inspector.entryUrl())[1];
const entered = await fetch(inspector.url + "/api/enter", { method: "POST", body: token });
const headers = { cookie: entered.headers.get("set-cookie").split(";")[0] };
const listed = await (await fetch(inspector.url + "/api/sessions", { headers })).json();
const { key } = listed.sessions[0];
const { policies } = await (await fetch(inspector.url + "/api/what-if", { headers })).json();
const path = "/api/sessions/" + encodeURIComponent(key) + "/what-if?policy=" + encodeURIComponent(policies[0].name);
console.log(await (await fetch(inspector.url + path, { headers })).text());
await inspector.close();`;
  const { folder, environment } = installed;
  // A thread inherits options such as --input-type, and rejects them.
  writeFileSync(join(folder, "what-if.mjs"), code);
  const events = execFileSync(process.execPath, ["what-if.mjs"], { cwd: folder, env: environment, encoding: "utf8" });
  expect(events).toContain("event: figures");
  expect(events).toContain("event: done");
});

/**
 * Declarations of the AI SDK, of pi and of what Gemini's client brings need those of browsers, and are not for all strict settings: whoever
 * uses them skips their check.
 */
const NOT_STRICT = /node_modules\/(ai|(@earendil-works|@google|@ai-sdk|@modelcontextprotocol)\/[\w-]+)\/dist\//;
/** Programs whose frameworks bring more than a megabyte of such errors: they are checked without the declarations of frameworks. */
const LARGE_FRAMEWORKS = ["@palimpsest/ai-sdk 3", "@palimpsest/langchain 1", "@palimpsest/openai-agents 1"];

describe("types of the programs in readmes", () => {
  const check = (programs: typeof PROGRAMS, compilerOptions: object): void => {
    const files = programs.map(writeProgram);
    const strict = {
      strict: true,
      exactOptionalPropertyTypes: true,
      target: "es2024",
      module: "nodenext",
      noEmit: true,
    };
    const config = { compilerOptions: { ...strict, lib: ["ESNext"], types: ["node"], ...compilerOptions }, files };
    writeFileSync(join(installed.folder, "tsconfig.json"), JSON.stringify(config));
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    // The compiler says what is wrong on its standard output.
    // Frameworks have thousands of problems in their own declarations.
    const options = { encoding: "utf8", maxBuffer: 64_000_000 } as const;
    const { error, stdout } = spawnSync(process.execPath, [tsc, "-p", installed.folder], options);
    expect(error).toBeUndefined();
    expect(stdout.split("\n").filter((line) => line.includes(": error ") && !NOT_STRICT.test(line))).toEqual([]);
  };

  const isLarge = ({ name, number }: (typeof PROGRAMS)[number]) => LARGE_FRAMEWORKS.includes(`${name} ${number}`);
  test("with the newest clients, declarations of ours and theirs included", () =>
    check(
      PROGRAMS.filter((program) => !isLarge(program)),
      { skipLibCheck: false },
    ));

  test("with the newest frameworks", () => check(PROGRAMS.filter(isLarge), { skipLibCheck: true }));

  test("with the oldest clients that are taken", () => {
    const paths = Object.entries(OLDEST_PEERS).map(([name, as]) => [name, [join(ROOT, "node_modules", as)]]);
    check(PROGRAMS, { skipLibCheck: true, paths: Object.fromEntries(paths) });
  });
});

describe("the agent, installed with npm install -g", () => {
  async function palimpsest(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const child = spawn(join(installed.bin, "palimpsest"), args, {
      cwd: installed.folder,
      env: { ...installed.environment, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const code = new Promise<number | null>((resolve) => child.on("close", resolve));
    const [out, said] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, out, said };
  }

  test("tells its version", async () => {
    const { version } = find("palimpsest-agent").manifest;
    expect(await palimpsest(["--version"])).toEqual({ code: 0, out: `${version}\n`, said: "" });
  });

  async function answerTurn(environment: Readonly<Record<string, string>> = {}) {
    const server = await serve({ faces: [createAnthropic({ script: () => answer("It is installed.") })] });
    const keys = { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: server.url };
    const { code, out, said } = await palimpsest(["-p", "Are you there?"], { ...keys, ...environment });
    await server.close();
    expect({ code, out }, said).toEqual({ code: 0, out: "It is installed.\n" });
  }

  test("answers a turn without a screen", () => answerTurn());

  test("answers a turn without its optional packages, as after npm install --omit=optional", async () => {
    const { manifest } = find("palimpsest-agent");
    const hook = join(installed.base, "without-optional.mjs");
    writeFileSync(
      hook,
      `import { registerHooks } from "node:module";
const missing = ${JSON.stringify(Object.keys(manifest["optionalDependencies"] as object))};
registerHooks({
  resolve(name, context, next) {
    if (!missing.some((one) => name === one || name.startsWith(one + "/"))) return next(name, context);
    throw Object.assign(new Error(name + " is not installed"), { code: "ERR_MODULE_NOT_FOUND" });
  },
});
`,
    );
    await answerTurn({ NODE_OPTIONS: `--import=${hook}` });
  });
});

test("the commands of docs/start.md: the demo, an agent, the inspector on its session", async () => {
  const { start, npmEnvironment } = installed;
  await followStartGuide({ repository: ROOT, folder: start, environment: npmEnvironment });
}, 1_800_000);

test("the MCP server, installed with npm install -g, serves the sessions of a home to the official client", async () => {
  const home = writeHome(join(installed.base, "home-of-agents"));
  const transport = new StdioClientTransport({
    command: join(installed.bin, "palimpsest-mcp"),
    args: ["--all"],
    cwd: installed.folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: home },
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  expect(client.getServerVersion()?.version).toBe(find("@palimpsest/mcp").manifest.version);
  const { content } = await client.callTool({ name: "search", arguments: { words: '"put it right"' } });
  await client.close();
  expect(JSON.stringify(content)).toContain("add(2, 2) gives 5. Please put it right.");
});

test(
  "a newcomer's first five minutes, from the tarballs to a resumed session",
  () => firstFiveMinutes([join(installed.bin, "palimpsest")]),
  300_000,
);
