import { randomInt } from "node:crypto";
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Part } from "palimpsest";
import { readInput } from "palimpsest/schema";
import { onTestFinished } from "vitest";
import { createCheckpoints } from "../extensions/checkpoints/checkpoints.ts";
import type { ChangePorts } from "../extensions/files/change-file.ts";
import type { AgentTool, AgentToolContext } from "../permissions/agent-tool.ts";
import { createPathGuard } from "../workspace/path-guard.ts";

export interface TemporaryProject {
  /** The folder that contains the project and files outside of it. */
  readonly base: string;
  readonly folder: string;
  readonly home: string;
  put(path: string, content: string | Uint8Array): string;
  text(path: string): string;
}

/** Creates a project and a home in a temporary folder, which is removed after the test. */
export function temporaryProject(
  files: Readonly<Record<string, string>> = {},
  parent: string = tmpdir(),
): TemporaryProject {
  const base = makeFolder(realpathSync(parent));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [folder, home] = [join(base, "project"), join(base, "home")];
  for (const path of [folder, home]) mkdirSync(path);
  const put = (path: string, content: string | Uint8Array): string => {
    const full = join(folder, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content);
    return full;
  };
  for (const [path, content] of Object.entries(files)) put(path, content);
  return { base, folder, home, put, text: (path) => readFileSync(join(folder, path), "utf8") };
}

/** Letters only, since the path is part of the prompt and its characters change the token count. */
function makeFolder(parent: string): string {
  const letters = Array.from({ length: 8 }, () => String.fromCharCode(97 + randomInt(26))).join("");
  const base = join(parent, `palimpsest-agent-${letters}`);
  mkdirSync(base, { mode: 0o700 });
  return base;
}

/** The ports of the file tools over a project, with a list of reads in view that the test keeps itself. */
export async function filePorts({
  folder,
  home,
}: TemporaryProject): Promise<ChangePorts & { readonly shown: Map<string, number> }> {
  const guard = await createPathGuard(folder);
  const shown = new Map<string, number>();
  const { keepBefore } = createCheckpoints({ sessionFolder: join(home, "session"), guard });
  return { guard, states: new Map(), shown, shownReads: () => shown, keepBefore };
}

/** A tool result, whichever form the tool has returned it in. */
interface Outcome {
  readonly content: string | readonly Part[] | AsyncIterable<Uint8Array | string>;
  readonly status: "ok" | "error";
}

/** Runs a tool as the loop would: an input that does not fit and an error are results for the model. */
export async function call(
  tool: AgentTool,
  input: unknown,
  context: Partial<AgentToolContext> & Pick<AgentToolContext, "folder">,
): Promise<Outcome> {
  const read = await readInput(tool, input);
  if (read.kind === "invalid") return { content: read.problems.join("; "), status: "error" };
  const whole = {
    signal: new AbortController().signal,
    call: { kind: "tool_call", id: "call", name: tool.name, input },
    key: "call",
    newestEntry: 1,
    ...context,
  } as const;
  try {
    const output = await tool.execute(read.value, whole);
    return typeof output === "object" && "status" in output ? output : { content: output, status: "ok" };
  } catch (error) {
    whole.signal.throwIfAborted();
    return { content: `The tool failed: ${String(error)}`, status: "error" };
  }
}

/** The text of an outcome. */
export async function textOf({ content }: Outcome): Promise<string> {
  if (typeof content === "string") return content;
  if (Symbol.asyncIterator in content) {
    const pieces: Buffer[] = [];
    for await (const piece of content) pieces.push(Buffer.from(piece as string));
    return Buffer.concat(pieces).toString("utf8");
  }
  return content.map((part) => (part.kind === "text" ? part.text : `[${part.kind}]`)).join("\n");
}
