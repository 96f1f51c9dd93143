// Lets the engine's store use the SQLite of Bun.

/** The parts of Bun's SQLite that this file uses. */
interface BunStatement {
  run(...values: readonly unknown[]): unknown;
  get(...values: readonly unknown[]): unknown;
  all(...values: readonly unknown[]): unknown[];
  iterate(...values: readonly unknown[]): IterableIterator<unknown>;
}

interface BunDatabase {
  readonly inTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): BunStatement;
  close(): void;
}

interface Loaded {
  readonly contents: string;
  readonly loader: "js";
}

interface BunModules {
  readonly plugin: (plugin: {
    name: string;
    setup(build: {
      module(name: string, load: () => { exports: object; loader: "object" }): void;
      onLoad(files: { filter: RegExp }, load: (file: { path: string }) => Promise<Loaded>): void;
    }): void;
  }) => void;
  readonly Database: new (path: string, options: object) => BunDatabase;
}

/**
 * Lets the engine's store run on Bun, whose SQLite has another module name and other method names than Node's. In a compiled
 * program such as opencode, Bun cannot define a module named `node:sqlite`. So this function rewrites the imports of that module.
 */
export async function provideNodeSqlite(): Promise<void> {
  // Node cannot resolve these names, and bundlers must not change them.
  const [bun, sqlite] = ["bun", "bun:sqlite"];
  const { plugin } = (await import(bun)) as BunModules;
  const { Database } = (await import(sqlite)) as BunModules;
  const { readFile } = await import("node:fs/promises");

  class DatabaseSync {
    readonly #database: BunDatabase;

    constructor(path: string, { readOnly = false }: { readOnly?: boolean } = {}) {
      const url = path.startsWith("file:") ? new URL(path) : undefined;
      const mode = url?.searchParams.get("mode") ?? (readOnly ? "ro" : "rwc");
      const file = url === undefined ? path : decodeURIComponent(url.pathname);
      this.#database = withCode(
        () => new Database(file, mode === "ro" ? { readonly: true } : { readwrite: true, create: mode === "rwc" }),
      );
    }

    get isTransaction(): boolean {
      return this.#database.inTransaction;
    }

    exec(sql: string): void {
      withCode(() => this.#database.exec(sql));
    }

    prepare(sql: string): BunStatement {
      const statement = withCode(() => this.#database.prepare(sql));
      return {
        run: (...values) => withCode(() => statement.run(...values)),
        get: (...values) => withCode(() => statement.get(...values)) ?? undefined,
        all: (...values) => withCode(() => statement.all(...values)),
        iterate: (...values) => withCode(() => statement.iterate(...values)),
      };
    }

    close(): void {
      this.#database.close();
    }
  }

  plugin({
    name: SQLITE,
    setup(build) {
      build.module(SQLITE, () => ({ exports: { DatabaseSync }, loader: "object" }));
      build.onLoad({ filter: ENGINE_FILES }, async ({ path }) => {
        const code = await readFile(path, "utf8");
        return { contents: code.replaceAll('"node:sqlite"', JSON.stringify(SQLITE)), loader: "js" };
      });
    },
  });
}

/** The module name by which the store finds SQLite in Bun. */
const SQLITE = "palimpsest:sqlite";
/** Matches the built files of the engine. */
const ENGINE_FILES = /[\\/]palimpsest[\\/]dist[\\/].*\.js$/;

/** Adds `errcode`, from which the store reads the cause of a failure. */
function withCode<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const errno = (error as { errno?: unknown }).errno;
    throw typeof errno === "number" ? Object.assign(error as Error, { errcode: errno }) : error;
  }
}
