import { posix } from "node:path";
import { checkAgent } from "./check-agent.ts";
import { findFileCircles, findFolderCircles } from "./circles.ts";
import type { FloorRule, FolderRule, PackageRule } from "./import-table.ts";
import type { SourceFacts } from "./source-facts.ts";

export interface ArchitectureRules {
  /** Of the engine. */
  readonly floors: readonly FloorRule[];
  readonly packages: readonly PackageRule[];
  /** Of the coding agent. */
  readonly folders: readonly FolderRule[];
}

/** Where a vendor may be named: the code that speaks to vendors, and the code that reads their files or plays their rules. */
const VENDOR_PLACES = [
  ...["anthropic", "bedrock", "gemini", "openai"].map((vendor) => `packages/palimpsest/src/${vendor}.ts`),
  "packages/palimpsest/src/providers/",
  "adapters/ai-sdk/src/provider/",
  "adapters/langchain/src/provider/",
  "adapters/openai-agents/",
  "adapters/pi/src/provider/",
  "adapters/pi/src/testing/",
  "packages/observe/src/index.ts",
  "packages/observe/src/analyze/",
  "packages/observe/src/claude-agent-sdk/",
  "packages/observe/src/proxy/wire/",
  "packages/observe/src/replay/",
  "packages/observe/src/transcripts/",
  "packages/provider-simulator/",
];
/** Files of the engine that only plan, wherever they are. */
const PURE_FILE = /\/src\/(.*\/)?((plan|fold|when|decide|flatten)\.ts|compact\/(evidence|summary)\/.*)$/;
const FORBIDDEN_NAME = /(Manager|Service|Helper|Utils?|Impl|Processor|Handler)s?$/i;

/** Everything in which the sources depart from docs/architecture.md, one line each. */
export function checkArchitecture(sources: readonly SourceFacts[], rules: ArchitectureRules): string[] {
  const [tests, code] = [sources.filter(isTest), sources.filter((source) => !isTest(source))];
  return [
    ...tests.flatMap(checkSimulatorTest),
    ...sources.flatMap(checkLab),
    ...code.flatMap((source) => checkCode(source, rules)),
    ...findFileCircles(code),
    ...findFolderCircles(code),
  ];
}

function checkCode(source: SourceFacts, rules: ArchitectureRules): string[] {
  return [
    ...checkNames(source),
    ...checkModuleState(source),
    ...checkBarrels(source),
    ...checkVendors(source),
    ...checkAgent(source, rules.folders),
    ...(source.path.startsWith("packages/palimpsest/") ? checkEngine(source, rules) : []),
    ...(source.path.startsWith("packages/provider-simulator/") ? checkSimulator(source) : checkPackage(source, rules)),
  ];
}

/** What only tests use stands in folders called `testing`: no build has them. */
function isTest({ path }: SourceFacts): boolean {
  return path.endsWith(".test.ts") || path.includes("/testing/") || path.startsWith("test/");
}

/** The lab measures the product. Product code and product tests know nothing of the lab. */
function checkLab({ path, imports }: SourceFacts): string[] {
  if (!/^(packages|adapters|apps|test)\//.test(path)) return [];
  return imports
    .filter(({ from }) => from.startsWith("palimpsest-lab") || posix.join(posix.dirname(path), from).startsWith("lab/"))
    .map(({ from }) => `${path}: imports ${from} from the lab`);
}

/** The judge's tests may use test runners and real clients, and nothing of the accused. */
function checkSimulatorTest({ path, imports }: SourceFacts): string[] {
  if (!path.startsWith("packages/provider-simulator/")) return [];
  return imports
    .filter(({ from }) =>
      from.startsWith(".") ? !staysInside(path, from, "packages/provider-simulator/") : /^@?palimpsest\b/.test(from),
    )
    .map(({ from }) => `${path}: a test of the simulator imports ${from}`);
}

function checkEngine({ path, imports, effects }: SourceFacts, { floors }: ArchitectureRules): string[] {
  const folder = engineFolderOf(path);
  const rule = floors.find((candidate) => candidate.folder === folder);
  if (rule === undefined) return [`${path}: "${folder}" has no row in the table of floors of docs/architecture.md`];
  const isCore = rule.kind === "core" || PURE_FILE.test(path);
  const problems = imports.flatMap(({ from }) => {
    if (!from.startsWith(".")) return isCore ? [`${path}: imports ${from}, but it is core code`] : [];
    const target = engineFolderOf(posix.join(posix.dirname(path), from));
    if (target === folder) return [];
    const below = floors.find((candidate) => candidate.folder === target)?.floor ?? Number.POSITIVE_INFINITY;
    return below < rule.floor ? [] : [`${path}: ${folder} is not above ${target} and may not import it (${from})`];
  });
  return isCore ? [...problems, ...effects.map((effect) => `${path}: core code uses ${effect}`)] : problems;
}

/** A judge that shares code with the accused proves nothing. */
function checkSimulator(source: SourceFacts): string[] {
  return source.imports
    .filter(({ from }) => !from.startsWith("node:") && !staysInside(source.path, from, "packages/provider-simulator/"))
    .map(({ from }) => `${source.path}: the simulator imports nothing but itself and node:, not ${from}`);
}

/** Packages see of each other what any user sees, and only those that their row of the table names. */
function checkPackage({ path, imports }: SourceFacts, { packages }: ArchitectureRules): string[] {
  const folder = folderOf(path);
  const name = PACKAGE_NAMES[folder] ?? folder.replace(/^(packages|adapters)\//, "@palimpsest/");
  const rule = packages.find((candidate) => candidate.name === name);
  if (rule === undefined) return [`${path}: ${name} has no row in the table of packages of docs/architecture.md`];
  return imports.flatMap(({ from }) => {
    if (from.startsWith(".")) {
      return staysInside(path, from, `${folder}/`)
        ? []
        : [`${path}: reaches into another package by ${from}; import its public subpath`];
    }
    const [target] = /^(@palimpsest\/[^/]+|palimpsest(-agent)?)(?=\/|$)/.exec(from) ?? [];
    return target === undefined || target === name || rule.mayImport.includes(target)
      ? []
      : [`${path}: ${name} may not import ${target}`];
  });
}

/** Packages whose name does not follow from their folder. */
const PACKAGE_NAMES: Readonly<Record<string, string>> = {
  "packages/palimpsest": "palimpsest",
  "apps/agent": "palimpsest-agent",
  "apps/create-palimpsest": "create-palimpsest",
  lab: "palimpsest-lab",
  examples: "palimpsest-examples",
};

function checkVendors({ path, vendorNames }: SourceFacts): string[] {
  if (!isLibrary(path) || VENDOR_PLACES.some((place) => path.startsWith(place))) return [];
  return vendorNames.map((name) => `${path}: names the vendor ${name} outside ${VENDOR_PLACES.join(", ")}`);
}

/** Published code that other programs import. */
function isLibrary(path: string): boolean {
  return /^(packages|adapters)\//.test(path);
}

/** `packages/memory` of `packages/memory/src/topic.ts`. */
function folderOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return ["packages", "adapters", "apps"].includes(first) ? `${first}/${second}` : first;
}

function checkNames(source: SourceFacts): string[] {
  const file = posix.basename(source.path, ".ts");
  return [...source.exports, file]
    .filter((name) => FORBIDDEN_NAME.test(name))
    .map((name) => `${source.path}: "${name}" says nothing; name it after what it does`);
}

/** One list of public names per package; what a folder shows is named after what it is. */
function checkBarrels({ path }: SourceFacts): string[] {
  return path.endsWith("/index.ts") && !/^(packages|adapters)\/[^/]+\/src\/index\.ts$/.test(path)
    ? [`${path}: a folder barrel`]
    : [];
}

function checkModuleState(source: SourceFacts): string[] {
  if (!isLibrary(source.path)) return [];
  return source.moduleVariables.map(
    (name) => `${source.path}: module-level variable "${name}"; two sessions would share it`,
  );
}

function staysInside(path: string, from: string, folder: string): boolean {
  return from.startsWith(".") && posix.join(posix.dirname(path), from).startsWith(folder);
}

/** The folder below src, or the file itself for files that stand directly in src. */
function engineFolderOf(path: string): string {
  return path.replace(/^packages\/palimpsest\/src\//, "").split("/", 1)[0]!;
}
