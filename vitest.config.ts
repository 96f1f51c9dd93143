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

// What reads recorded sessions is asked for by name (`npm run test:slow`): nothing here is skipped in the gate.
const slow = process.env["PALIMPSEST_SLOW"] === undefined ? ["**/*.slow.test.ts"] : [];
// The gate has run these with its check. (Excluded on the command line, projects would run them all the same.)
const checked = process.env["PALIMPSEST_CHECKED"] === "architecture" ? ["test/architecture/**"] : [];

const config: ViteUserConfig = defineConfig({
  resolve: { conditions },
  ssr: {
    resolve: { conditions: [...conditions, "node"], externalConditions: conditions },
  },
  test: {
    exclude: [...defaultExclude, ...slow, ...checked],
    globalSetup: ["test/run-folder.ts"],
    setupFiles: ["test/random-cases.ts"],
    sequence: { sequencer: LongestFirst },
    // A machine that has other things to do may take ten times as long: what must be fast is asserted, not timed out.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    // Test files share a process: no module holds state, so that there is nothing to keep apart, and every file would load all modules anew.
    isolate: false,
    // One process more than there are processors: most judge random sessions, but some wait for terminals and programs.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        extends: true,
        test: {
          name: "newest",
          include: [
            "packages/*/src/**/*.test.ts",
            "apps/*/src/**/*.test.ts",
            "bench/src/**/*.test.ts",
            "scripts/**/*.test.ts",
            "test/**/*.test.ts",
          ],
        },
      },
      {
        extends: true,
        resolve: { alias: toOldest },
        test: { name: "oldest peers", include: [...TESTS_OF_PEERS], env: { PEERS: "oldest" } },
      },
    ],
  },
});

export default config;
