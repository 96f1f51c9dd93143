import { homedir } from "node:os";
import { join, posix, relative, resolve } from "node:path";
import type { WantedCall } from "palimpsest";
import type { AgentWay } from "palimpsest/inspect";
import { isProtected } from "../sandbox/protected-names.ts";
import type { GuardedPath, PathGuard } from "../workspace/path-guard.ts";
import type { Enclosure, ToolAccess, ToolEffect, ToolOrigin } from "./agent-tool.ts";
import { fitsGlob, type PathBase } from "./glob.ts";
import type { ShellLine } from "./shell/shell-line.ts";
import { type TouchedPath, touchedPaths } from "./shell/touched-paths.ts";

/** `protected`: what the user's own programs would run, or take their settings from. */
type Place = "inside" | "outside" | "protected" | "none";

/** A call as permissions see it. */
export interface PermissionCall {
  readonly tool: string;
  readonly effect: ToolEffect;
  /** Of a command: the line, and the files that it names. */
  readonly command?: CommandLine;
  /** The file or folder that it names: as written and as it really is, both from the project's folder where they lie in it. */
  readonly paths: readonly string[];
  readonly place: Place;
  /** Hosts that it wants to reach. Empty: none. `any`: it does not say which. */
  readonly hosts: readonly string[] | "any";
  /** `sandbox`: commands are enclosed. */
  readonly enclosure: Enclosure;
  /** Of a command in the sandbox: why it is not guarded everywhere, though it is enclosed. */
  readonly unguarded?: string;
  /** What patterns of paths begin at. */
  readonly base: PathBase;
}

export interface CommandLine {
  readonly text: string;
  readonly line: ShellLine;
  readonly touched: readonly LocatedPath[];
}

/** A file that a line names, and where it lies. `system`: programs and settings of the machine, and files that end with the command. */
export interface LocatedPath extends Pick<TouchedPath, "access" | "by"> {
  /** From the project's folder where it lies in it: as written, and as it really is. */
  readonly paths: readonly string[];
  readonly place: "inside" | "outside" | "protected" | "system";
}

/** Where the paths of calls begin, and which folders they may lead to. */
export interface CallPlaces {
  readonly guard: PathGuard;
  /** The user's home: "~" in rules and commands. @default that of the process */
  readonly home?: string;
  /** Whether the commands of the session are enclosed. @default "none" */
  readonly enclosure?: Enclosure;
  /** Why the sandbox does not guard all of the project; asked for commands only. @default it does */
  readonly unguarded?: () => Promise<string | undefined>;
  /** Files that hooks and servers run: protected as well. @default none */
  readonly obeyedFiles?: readonly string[];
  /** Hosts that every command may reach, with "*" for any characters. @default none */
  readonly openHosts?: readonly string[];
}

/** What is to be known of a call to decide on it. Links are followed: a rule holds for what a path leads to. */
export async function toPermissionCall(
  { name, effect, network: always, commands }: ToolAccess,
  input: unknown,
  { guard, home = homedir(), enclosure = "none", obeyedFiles = [], openHosts = [], unguarded }: CallPlaces,
): Promise<PermissionCall> {
  const fields = typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
  const { command, file_path, path, network, url } = fields;
  const written = [file_path, path].find((value) => typeof value === "string");
  const located = written === undefined ? undefined : await guard.locate(written);
  const base = { folder: guard.roots[0]!, home };
  const paths = located === undefined || written === undefined ? [] : pathsOf(written, located, base.folder);
  const isCommand = commands !== undefined && typeof command === "string";
  const gap = isCommand && commands === "sandbox" ? await unguarded?.() : undefined;
  return {
    tool: name,
    effect,
    paths,
    base,
    enclosure: commands ?? enclosure,
    place: isObeyed(located, obeyedFiles) ? "protected" : placeOf(located, paths, effect),
    hosts: always === undefined ? wantedHosts(network, openHosts) : always === "always" ? hostOf(url) : always,
    ...(gap === undefined ? {} : { unguarded: gap }),
    ...(isCommand ? { command: await readCommand(command, guard, base) } : {}),
  };
}

async function readCommand(text: string, guard: PathGuard, base: PathBase): Promise<CommandLine> {
  const { line, touched } = await parseCommand(text);
  return { text, line, touched: await Promise.all(touched.map((path) => locate(path, guard, base))) };
}

/** Parses a command and finds the paths that it names. The parser is loaded by the first command. */
async function parseCommand(
  text: string,
): Promise<{ readonly line: ShellLine; readonly touched: readonly TouchedPath[] }> {
  const { parseLine } = await import("./shell/parse-line.ts");
  const line = parseLine(text);
  const touched = touchedPaths(line);
  if (touched.length <= MAX_PATHS) return { line, touched };
  return { line: { kind: "unparsed", problem: `it names more than ${MAX_PATHS} files` }, touched: [] };
}

/** The paths that a command names, as absolute paths. */
export async function pathsOfCommand(text: string, { folder, home }: PathBase): Promise<readonly string[]> {
  const { touched } = await parseCommand(text);
  return [...new Set(touched.map(({ path }) => resolve(folder, fromHome(path, home))))];
}

function fromHome(path: string, home: string): string {
  return /^~(?=\/|$)/.test(path) ? join(home, path.slice(1)) : path;
}

const MAX_PATHS = 500;
/** Programs, libraries and settings of the machine. They can be read, and not be written. */
const SYSTEM = /^\/(usr|bin|sbin|lib\w*|etc|opt|proc|sys|nix|dev)(\/|$)/;
/** In the sandbox they end with the session. */
const TEMPORARY =
  /^(\/private)?(\/tmp|\/var\/tmp|\/var\/folders)(\/|$)|^\/dev\/(null|std\w+|tty|fd\/\d+|zero|u?random|full|shm\/.*)$/;

async function locate(
  { path, access, by }: TouchedPath,
  guard: PathGuard,
  { folder, home }: PathBase,
): Promise<LocatedPath> {
  const whole = fromHome(path, home);
  const located = await guard.locate(whole);
  const paths = pathsOf(whole, located, folder);
  if (located.kind === "inside") {
    return { paths, access, by, place: paths.some(isProtected) ? "protected" : "inside" };
  }
  const real = located.kind === "invalid" ? whole : located.path;
  const isSystem = TEMPORARY.test(real) || (access === "read" && SYSTEM.test(real));
  return { paths, access, by, place: isSystem ? "system" : "outside" };
}

function wantedHosts(network: unknown, open: readonly string[]): readonly string[] | "any" {
  if (Array.isArray(network)) {
    const named = network.filter((host) => typeof host === "string");
    return named.filter((host) => !open.some((pattern) => fitsGlob(pattern, host, "text")));
  }
  return network === true ? "any" : [];
}

function hostOf(url: unknown): readonly string[] | "any" {
  const host = typeof url === "string" ? URL.parse(url)?.hostname : undefined;
  return host === undefined || host === "" ? "any" : [host];
}

function pathsOf(written: string, located: GuardedPath, folder: string): readonly string[] {
  const asWritten = posix.normalize(written.startsWith(`${folder}/`) ? relative(folder, written) : written);
  if (located.kind === "invalid") return [asWritten];
  const real =
    located.kind === "inside" && located.root === folder ? relative(folder, located.path) || "." : located.path;
  return [...new Set([asWritten, real])];
}

function isObeyed(located: GuardedPath | undefined, files: readonly string[]): boolean {
  return located?.kind === "inside" && files.includes(located.path);
}

function placeOf(located: GuardedPath | undefined, paths: readonly string[], effect: ToolEffect): Place {
  if (located === undefined) return "none";
  if (located.kind === "stored-result") return effect === "read" ? "inside" : "outside";
  if (located.kind === "outside") return "outside";
  // The model obeys them from then on, so the user sees a change first.
  if (effect === "write" && paths.some(holdsInstructions)) return "protected";
  return paths.some(isProtected) ? "protected" : "inside";
}

/** Whether a file holds instructions of the project, by its name. */
export function holdsInstructions(path: string): boolean {
  return /(?:^|\/)(?:AGENTS|CLAUDE)\.md$/i.test(path);
}

/** Asks the person at the screen whether a call may run. */
export type AskPermission = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionReply>;

export interface PermissionQuestion extends WantedCall {
  readonly asker: Asker;
  /** Why it has to be asked, in plain words. */
  readonly reason: string;
  /** Rules that together would allow calls like this one; empty where no rule would. */
  readonly allowedBy: readonly string[];
}

/** Who wants to run a call, and whose tool it is. */
export interface Asker {
  readonly agent: AskingAgent;
  readonly tool: ToolOrigin;
}

/** The agent whose model wrote the call: the session itself, or an agent that it has started. */
export type AskingAgent = { readonly kind: "main" } | { readonly kind: AgentWay; readonly name: string };

/** How long and where the rules of a question hold: until the program ends, in this project, in every project. */
export type AllowScope = "session" | "project" | "user";

export type PermissionReply =
  | { readonly kind: "once" }
  /** By the rules that were named. */
  | { readonly kind: "always"; readonly scope: AllowScope }
  | { readonly kind: "deny"; readonly comment: string };
