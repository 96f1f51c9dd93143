import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { openInstructions } from "palimpsest-agent";
import type { Attack, Family } from "./attack.ts";
import { inputOf } from "./file-tools.ts";
import { inPlayground, type Playground } from "./playground.ts";

/** Every way of writing a path that leads out of the project, to every tool that takes one, and to imports of instructions. */
export const paths: Family<Playground> = {
  name: "paths",
  guard: "roots",
  from: import.meta.url,
  inWorld: (act) => inPlayground(act, { shell: "none" }),
  attacks(playground) {
    const { use, folder } = playground;
    const change = async (tool: "Edit" | "Write", path: string): Promise<string> => {
      await use("Read", { file_path: path }).catch(String);
      return use(tool, inputOf(tool, path));
    };
    const ways: readonly [
      name: string,
      run: (path: string) => Promise<string>,
      harm?: (said: string, path: string) => string | undefined,
    ][] = [
      // Searched before anything is written: a file inside may have a name that looks like a path to the outside.
      ["Glob", (path) => use("Glob", { pattern: path }), (said, path) => namesOutside(said, path, folder)],
      ["Glob in", (path) => use("Glob", { pattern: "**/*", path }), (said, path) => namesOutside(said, path, folder)],
      ["Grep", (path) => use("Grep", { pattern: "CANARY.*", path, output_mode: "lines" })],
      ["Read", (path) => use("Read", { file_path: path })],
      ["import", (path) => importing(path, playground)],
      ["Edit", (path) => change("Edit", path)],
      ["Write", (path) => change("Write", path)],
    ];
    const wanted = pathsOut(playground);
    return ways.flatMap(([name, run, harm]) =>
      wanted.map(
        (path): Attack => ({
          name: `${name} ${JSON.stringify(path.slice(0, 100))}`,
          run: () => run(path),
          ...(harm === undefined ? {} : { harm: (said: string) => harm(said, path) }),
        }),
      ),
    );
  },
};

/** A search must not even name what lies outside. That it repeats what it was asked for says nothing. */
function namesOutside(said: string, asked: string, folder: string): string | undefined {
  const lines = said.split("\n").filter((line) => !asked.split("\n").includes(line));
  // Names are told from the root that a search was made in.
  const named = lines.flatMap((line) => [resolve(folder, line), resolve(folder, "..", line)]);
  const found = named.find((path) => !`${path}/`.startsWith(`${folder}/`) && existsSync(path));
  return found === undefined ? undefined : `${found} was named`;
}

async function importing(path: string, { folder, guard, home, agentHome }: Playground): Promise<string> {
  await writeFile(join(folder, "AGENTS.md"), `Read @${path.replaceAll(" ", "\\ ")} first.`);
  const instructions = await openInstructions({ guard, home, agentHome });
  return ((await instructions.text()) ?? []).map(({ text }) => text).join("\n");
}

function pathsOut({ base, folder, home, outside }: Playground): readonly string[] {
  const target = join(outside, "file.txt");
  const up = "../outside/file.txt";
  const fromRoot = relative(folder, "/").concat(target);
  const written = (dots: string, slash: string): string => [dots, "outside", "file.txt"].join(slash);
  return [
    target,
    up,
    `./${up}`,
    `sub/../${up}`,
    `sub/../../project/${up}`,
    `${folder}/${up}`,
    `${folder}/../outside/file.txt`,
    fromRoot,
    `${"../".repeat(60)}${target.slice(1)}`,
    `/${target}`,
    `//${target}`,
    `/.${target}`,
    `/proc/self/root${target}`,
    `/proc/self/cwd/../../../..${target}`,
    `/proc/${process.pid}/root${target}`,
    `/dev/fd/../../..${target}`,
    "../project-backup/file.txt",
    `${folder}-backup/file.txt`,
    `${folder}/../project-backup/file.txt`,
    "../file.txt",
    join(base, "file.txt"),
    join(home, ".ssh/id_rsa"),
    "../home/.ssh/id_rsa",
    "~/.ssh/id_rsa",
    "$HOME/.ssh/id_rsa",
    "../home/.netrc",
    "../home/.aws/credentials",
    "../home/.config/gh/hosts.yml",
    "../home/.npmrc",
    "../home/.gnupg/key",
    ...["%2e%2e", "%2E%2E", "%252e%252e", "%c0%ae%c0%ae", "..%00", ".%2e", "%2e.", "%uff0e%uff0e"].map((dots) =>
      written(dots, "/"),
    ),
    ...["%2f", "%2F", "%252f", "%5c", "\\", "%c0%af", "\u2215", "\u2044", "\uff0f", "//", "/./", "/.//"].map((slash) =>
      written("..", slash),
    ),
    ...[
      "\uff0e\uff0e",
      "\u2024\u2024",
      "\u2025",
      "\u2026",
      ".\u200b.",
      ".\u00ad.",
      "..\u202e",
      "... ",
      ".. ",
      " ..",
      "..\t",
      "..;",
    ].map((dots) => written(dots, "/")),
    `${up}\0`,
    `${up}\0.md`,
    `\0${up}`,
    `inside.txt\0/../${up}`,
    `${target}\n`,
    `\n${target}`,
    ` ${target}`,
    `${target} `,
    `${target}.`,
    `file://${target}`,
    `file:///${target}`,
    `FILE:${target}`,
    `C:${target}`,
    `C:\\..\\outside\\file.txt`,
    `\\\\?\\${target}`,
    `\\\\localhost${target}`,
    `inside.txt/../${up}`,
    `inside.txt/../../outside/file.txt`,
    `missing/../${up}`,
    `missing/../../outside/file.txt`,
    `${"a/../".repeat(200)}${up}`,
    `${up}/`,
    `${up}/.`,
    `${target}/../file.txt`,
    `../outside/deep/../file.txt`,
    `../outside/deep/file.txt`,
    "../outside",
    outside,
    "..",
    base,
    "/",
    `{../outside,sub}/file.txt`,
    "../*/file.txt",
    "../**/file.txt",
    `${base}/**/*.txt`,
    "../outside/*",
    "*/../../outside/*.txt",
    "!(x)/../../outside/*",
    `${up}?x`,
    `${up}#x`,
    `-${up}`,
    `--follow`,
    `--files=${target}`,
    `-f${target}`,
    "--pre=cat",
    `-- ${target}`,
    `x:${target}`,
    `${"../".repeat(1_300)}${target.slice(1)}`,
    `${"x/".repeat(2_100)}${"../".repeat(2_101)}outside/file.txt`,
  ];
}
