import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { openPostgres, openPostgresMemory } from "@palimpsest/postgres";
import { sqliteStore } from "palimpsest/sqlite";
import { findSession } from "../workspace/stored-sessions.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inDatabase } from "./open-database.ts";
import { inProject, type Project } from "./open-project.ts";
import { type ProjectInspectorOptions, startProjectInspector } from "./project-inspector.ts";
import { countOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Recognizes a path. Session ids do not match. */
const IS_PATH = /[/\\]|^[.~]/;

/** Shows sessions in a browser on this machine, until the program is interrupted. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS.inspect);
  const port = values.port === "0" ? 0 : (countOf("--port", values.port) ?? 0);
  const [target] = positionals;
  const { database, tenant, live, memory: scope, html } = values;
  if (database !== undefined || tenant !== undefined || scope !== undefined) {
    if (tenant === undefined)
      throw new UsageError(
        "Missing --tenant. Usage: palimpsest inspect --database URL --tenant NAME [--memory NAME] [ID]",
      );
    return inProject(terminal, (project) =>
      inDatabase(terminal, { database, application: "palimpsest inspect" }, async (pool) => {
        const store = openPostgres({ pool }).store({ tenant });
        const name = `${database ?? "the database of the environment"} ${tenant}`;
        const id = target === undefined && live !== true ? undefined : (await findSession(store, target)).id;
        const memory = scope === undefined ? {} : { memory: openPostgresMemory({ pool, tenant, name: scope }) };
        if (memory.memory !== undefined && (await memory.memory.head()) === undefined)
          terminal.say(`The memory ${JSON.stringify(scope)} of this tenant is empty.`, "warning");
        return show({ project, terminal, id, html, shows: { kind: "store", store, name, ...memory }, port });
      }),
    );
  }
  return inProject(terminal, async (project) => {
    const path = target === undefined ? undefined : resolve(terminal.folder, target);
    if (path !== undefined && existsSync(path))
      return show({ project, terminal, id: undefined, html, shows: await sessionsAt(path), port });
    if (target !== undefined && IS_PATH.test(target))
      throw new UsageError(`There is no folder or file ${path}. Name one that has sessions, or the ID of a session.`);
    const id = target === undefined && live !== true ? undefined : (await findSession(project.store, target)).id;
    return show({ project, terminal, id, html, shows: { kind: "project" }, port });
  });
}

/** A folder that contains logs belongs to a program of the user. Other paths are transcripts. */
async function sessionsAt(path: string): Promise<ProjectInspectorOptions["shows"]> {
  if (!statSync(path).isDirectory()) return { kind: "transcripts", path };
  const store = sqliteStore({ folder: path });
  const { sessions } = await store.list({ limit: 1 });
  return sessions.length === 0 ? { kind: "transcripts", path } : { kind: "store", store, name: path };
}

interface Shown extends Pick<ProjectInspectorOptions, "shows" | "port"> {
  readonly project: Project;
  readonly terminal: Terminal;
  /** The session to open first. */
  readonly id: string | undefined;
  /** A file to write the page to, instead of serving it. */
  readonly html: string | undefined;
}

async function show({ project, terminal, id, html, ...options }: Shown): Promise<number> {
  if (html !== undefined) {
    if (options.shows.kind === "transcripts")
      throw new UsageError(
        `For recorded sessions of other agents: palimpsest analyze ${options.shows.path} --html ${html}`,
      );
    const { exportStored } = await import("./export-stored.ts");
    await exportStored({ project, terminal, id, file: html, shows: options.shows });
    return EXIT.done;
  }
  const inspector = await startProjectInspector(project, terminal, options);
  await terminal.print(inspector.addressOf(id));
  terminal.say("Open this address in a browser of this machine. It lets one browser in, once. Press Ctrl-C to stop.");
  const signal = terminal.interruption();
  if (!signal.aborted) await once(signal, "abort");
  await inspector.close();
  return signal.reason === EXIT.terminated ? EXIT.done : EXIT.interrupted;
}
