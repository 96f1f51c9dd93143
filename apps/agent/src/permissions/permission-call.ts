import { posix, relative } from "node:path";
import { isProtected } from "../sandbox/protected-names.ts";
import type { GuardedPath, PathGuard } from "../workspace/path-guard.ts";
import type { PathBase } from "./path-pattern.ts";
import type { ToolOrigin } from "./permission-question.ts";

/** What a tool can do to the world; permissions are decided by it. */
export type ToolEffect = "read" | "edit" | "execute" | "talk";

/** A tool as permissions see it. */
export interface PermittedTool {
  readonly name: string;
  readonly effect: ToolEffect;
  /** Every call goes to the network, whatever its input. @default only calls that ask for it do */
  readonly network?: "always";
  /** @default built-in */
  readonly origin?: ToolOrigin;
}

/** A call as permissions see it. */
export interface PermissionCall {
  readonly tool: string;
  readonly effect: ToolEffect;
  readonly command?: string;
  /** The file or folder that it names: as written and as it really is, both from the project's folder where they lie in it. */
  readonly paths: readonly string[];
  /** `protected`: what the user's own programs would run, or take their settings from. */
  readonly place: "inside" | "outside" | "protected" | "none";
  readonly network: "wanted" | "none";
  /** What patterns of paths begin at. */
  readonly base: PathBase;
}

/** Where the paths of calls begin, and which folders they may lead to. */
export interface CallPlaces {
  readonly guard: PathGuard;
  /** The user's home: "~" in rules. */
  readonly home: string;
}

/** What is to be known of a call to decide on it. Links are followed: a rule holds for what a path leads to. */
export async function toPermissionCall(
  { name, effect, network: always }: PermittedTool,
  input: unknown,
  { guard, home }: CallPlaces,
): Promise<PermissionCall> {
  const fields = typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
  const { command, file_path, path, network } = fields;
  const written = [file_path, path].find((value) => typeof value === "string");
  const located = written === undefined ? undefined : await guard.locate(written);
  const paths = located === undefined || written === undefined ? [] : pathsOf(written, located, guard.roots[0]!);
  return {
    tool: name,
    effect,
    paths,
    base: { folder: guard.roots[0]!, home },
    place: placeOf(located, paths, effect),
    network: network === true || always === "always" ? "wanted" : "none",
    ...(typeof command === "string" ? { command } : {}),
  };
}

function pathsOf(written: string, located: GuardedPath, folder: string): readonly string[] {
  const asWritten = posix.normalize(written.startsWith(`${folder}/`) ? relative(folder, written) : written);
  if (located.kind === "invalid") return [asWritten];
  const real =
    located.kind === "inside" && located.root === folder ? relative(folder, located.path) || "." : located.path;
  return [...new Set([asWritten, real])];
}

function placeOf(
  located: GuardedPath | undefined,
  paths: readonly string[],
  effect: ToolEffect,
): PermissionCall["place"] {
  if (located === undefined) return "none";
  if (located.kind === "stored-result") return effect === "read" ? "inside" : "outside";
  if (located.kind === "outside") return "outside";
  return paths.some((path) => isProtected(path)) ? "protected" : "inside";
}
