import { availableParallelism } from "node:os";
import { defaultExclude, defineConfig, type ViteUserConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";
import { OLDEST_PEERS, TESTS_OF_PEERS } from "./test/peers/oldest-peers.ts";

// Workspace packages resolve to their TypeScript sources: tests judge what is written, not what was last built.
const conditions = ["palimpsest-source"];
const toOldest = Object.entries(OLDEST_PEERS).map(([name, oldest]) => ({
  find: new RegExp(`^${name}(/.*)?$`),
  replacement: `${oldest}$1`,
}));

/** The name of a file decides its ring. `*.system.test.ts` needs programs or servers, `*.nightly.test.ts` needs hours or recordings. */
const SYSTEM = "**/*.system.test.ts";
const NIGHTLY = "**/*.nightly.test.ts";
const PRODUCT = ["packages/*/src", "adapters/*/src", "apps/*/src", "scripts", "test"];
const under = (pattern: string): string[] => PRODUCT.map((folder) => `${folder}/${pattern}`);

const config: ViteUserConfig = defineConfig({
  resolve: { conditions },
  ssr: {
    resolve: { conditions: [...conditions, "node"], externalConditions: conditions },
  },
  test: {
    globalSetup: ["test/run-folder.ts"],
    setupFiles: ["test/random-cases.ts"],
    sequence: { sequencer: LongestFirst },
    // A busy machine may take ten times as long. A time limit only ends a test that hangs.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    // Test files share a process. No module holds state, so nothing has to be kept apart, and modules load once.
    isolate: false,
    // One process more than there are processors: most tests compute, but some wait for terminals and programs.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        extends: true,
        test: { name: "unit", include: under("**/*.test.ts"), exclude: [...defaultExclude, SYSTEM, NIGHTLY] },
      },
      { extends: true, test: { name: "system", include: [...under(SYSTEM), `lab/src/${SYSTEM}`] } },
      { extends: true, test: { name: "nightly", include: under(NIGHTLY) } },
      { extends: true, test: { name: "lab", include: ["lab/src/**/*.test.ts"], exclude: [...defaultExclude, SYSTEM] } },
      {
        extends: true,
        resolve: { alias: toOldest },
        test: { name: "oldest peers", include: [...TESTS_OF_PEERS], env: { PEERS: "oldest" } },
      },
      {
        extends: true,
        test: {
          name: "postgres 18",
          include: ["packages/postgres/src/**/*.system.test.ts"],
          // It needs pg_dump and other programs, which npm's PostgreSQL does not have.
          exclude: ["**/backup.system.test.ts"],
          globalSetup: ["test/run-folder.ts", "packages/postgres/src/testing/use-postgres-18.ts"],
          env: { POSTGRES: "18" },
        },
      },
    ],
  },
});

export default config;
