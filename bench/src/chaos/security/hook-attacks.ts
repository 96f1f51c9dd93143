import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { commandHook, createHooks } from "palimpsest/hooks";
import { type Attacked, type Attempt, tryAll } from "./attempt.ts";
import { inPlayground } from "./playground.ts";

/** What a shell would obey, in every field that a hook is told of: it arrives to the byte, and nothing of it is run. */
export function attackHooks(): Promise<Attacked> {
  return inPlayground(async ({ folder, outside, canaries }) => {
    const [told, planted] = [join(folder, "told"), join(folder, "planted")];
    const environment = { PATH: process.env["PATH"] };
    const lines = [`cat > ${told}`, ["sh", "-c", `cat > ${told}`] as const];
    const attempts = payloads(`touch ${planted}`, `cat ${outside}/file.txt`).flatMap((payload, position): Attempt[] =>
      FIELDS.map((field): Attempt => {
        const input = {
          sessionId: "s",
          toolName: "Bash",
          toolInput: {},
          callId: "c",
          [field]: field === "toolInput" ? { command: payload, [payload]: 1 } : payload,
        };
        return {
          name: `hook with ${field} ${JSON.stringify(payload)}`,
          async run() {
            await rm(told, { force: true });
            const hook = {
              event: "PreToolUse",
              run: commandHook(lines[position % 2]!, { folder, environment }),
            } as const;
            const results = await createHooks([hook]).run("PreToolUse", input as never);
            const got = existsSync(told) ? await readFile(told, "utf8") : "";
            if (got !== JSON.stringify({ event: "PreToolUse", ...input })) return `changed on the way: ${got}`;
            return JSON.stringify(results);
          },
          harm: (said) => {
            if (existsSync(planted)) return "a payload was run";
            return said.startsWith("changed") ? said : undefined;
          },
        };
      }),
    );
    return tryAll(attempts, canaries);
  });
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
