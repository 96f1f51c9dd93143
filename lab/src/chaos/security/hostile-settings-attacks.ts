import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { loadSettings } from "palimpsest-agent";
import type { Attack, Family } from "./attack.ts";
import { inPlayground, type Playground } from "./playground.ts";

const LIMIT_MS = 5_000;
const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const DEPTHS = [5_000, 20_000, 200_000];

/** What a repository puts in the place of its settings. */
const PLACED: readonly [name: string, put: (file: string) => Promise<unknown> | unknown][] = [
  ["a folder", (file) => mkdir(file)],
  ["a folder with files", (file) => mkdir(join(file, "settings.json"), { recursive: true })],
  ["a link to a folder", (file) => symlink(".", file)],
  ["a link in a circle", (file) => symlink("settings.json", file)],
  ...DEPTHS.flatMap((levels): readonly [string, (file: string) => Promise<unknown>][] => [
    [`${levels} levels in a rule`, (file) => writeFile(file, `{"permissions":{"deny":[${deep(levels)}]}}`)],
    [`${levels} levels in a hook`, (file) => writeFile(file, `{"hooks":[${deep(levels)}]}`)],
    [`${levels} levels in a server`, (file) => writeFile(file, `{"servers":{"s":${deep(levels)}}}`)],
    [`${levels} levels of folders`, (file) => writeFile(file, `{"permissions":{"folders":${deep(levels)}}}`)],
    [`${levels} levels somewhere`, (file) => writeFile(file, `{"x":${deep(levels)}}`)],
  ]),
  ["nothing but brackets", (file) => writeFile(file, "[".repeat(500_000))],
  ["40 MB", (file) => writeFile(file, `{"permissions":{"deny":["${"x".repeat(40_000_000)}"]}}`)],
  ["a list", (file) => writeFile(file, "[]")],
  ["a number", (file) => writeFile(file, "1e999")],
  ["bytes that are no text", (file) => writeFile(file, Buffer.from([0xff, 0xfe, 0x00]))],
  ["a prototype", (file) => writeFile(file, '{"__proto__":{"permissions":{"deny":null}}}')],
];

/** Whose place it is. The user's own may be broken, too. */
const PLACES: readonly [name: string, file: (playground: Playground) => string][] = [
  ["the project", ({ folder }) => join(folder, ".palimpsest/settings.json")],
  ["the user", ({ agentHome }) => join(agentHome, "settings.json")],
];

/** Settings that cannot be used are named and passed over: the agent starts. */
export const hostileSettings: Family<Playground> = {
  name: "hostile settings",
  guard: "careful reading of settings",
  from: import.meta.url,
  inWorld: (act) => inPlayground(act, { shell: "none" }),
  attacks: (playground) =>
    PLACES.flatMap(([whose, fileOf]) =>
      PLACED.map(
        ([name, put]): Attack => ({
          name: `${name} as settings of ${whose}`,
          async run() {
            const file = fileOf(playground);
            await mkdir(dirname(file), { recursive: true });
            await put(file);
            const late = new Promise<string>((resolve) => setTimeout(resolve, LIMIT_MS, "too late").unref());
            return Promise.race([late, loadSettings(playground).then(() => "started", String)]);
          },
          harm: (said) => (said === "started" ? undefined : `it does not start: ${said.slice(0, 200)}`),
        }),
      ),
    ),
};
