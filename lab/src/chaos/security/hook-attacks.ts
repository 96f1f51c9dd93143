import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { commandHook, createHooks } from "palimpsest/hooks";
import type { Attack, Family } from "./attack.ts";
import { inPlayground, type Playground } from "./playground.ts";

/** What a shell would obey, in every field that a hook is told of: it arrives to the byte, and nothing of it is run. */
export const hooks: Family<Playground> = {
  name: "hooks",
  guard: "hook input",
  from: import.meta.url,
  inWorld: (act) => inPlayground(act, { shell: "none" }),
  attacks(playground) {
    const planted = join(playground.folder, "planted");
    return payloads(`touch ${planted}`, `mkdir -p ${planted}`).flatMap((payload, at) =>
      FIELDS.map(
        (field): Attack => ({
          name: `hook with ${field} ${JSON.stringify(payload)}`,
          run: () => runHook(payload, field, at % 2 === 0 ? "line" : "words", playground),
          harm: (said) => {
            if (existsSync(planted)) return "a payload was run";
            return said.startsWith("changed") ? said : undefined;
          },
        }),
      ),
    );
  },
};

async function runHook(
  payload: string,
  field: (typeof FIELDS)[number],
  written: "line" | "words",
  { folder }: Playground,
): Promise<string> {
  const received = join(folder, "received");
  await rm(received, { force: true });
  const input = {
    sessionId: "s",
    toolName: "Bash",
    toolInput: {},
    callId: "c",
    [field]: field === "toolInput" ? { command: payload, [payload]: 1 } : payload,
  };
  const line = written === "line" ? `cat > ${received}` : (["sh", "-c", `cat > ${received}`] as const);
  const run = commandHook(line, { folder, environment: { PATH: process.env["PATH"] } });
  const results = await createHooks([{ event: "PreToolUse", run }]).run("PreToolUse", input as never);
  const got = existsSync(received) ? await readFile(received, "utf8") : "";
  const expected = JSON.stringify({ event: "PreToolUse", ...input });
  return got === expected ? JSON.stringify(results) : `changed on the way: ${got}`;
}

const FIELDS = ["sessionId", "toolInput", "callId"] as const;

function payloads(write: string, read: string): readonly string[] {
  return [write, read].flatMap((command) => [
    `$(${command})`,
    `\`${command}\``,
    `; ${command}`,
    `& ${command}`,
    `&& ${command}`,
    `| ${command}`,
    `|| ${command}`,
    `'; ${command}; '`,
    `"; ${command}; "`,
    `'"; ${command}; "'`,
    `\n${command}\n`,
    `\r\n${command}\r\n`,
    `\0${command}`,
    `\\'; ${command} #`,
    `\${x:-$(${command})}`,
    `<(${command})`,
    `>(${command})`,
    `%0a${command}`,
    `\u2028${command}`,
    `*; ${command}`,
    `~; ${command}`,
    `!${command}`,
    `{${command},}`,
    `$'\\n'${command}`,
    `-c ${command}`,
    `--; ${command}`,
  ]);
}
