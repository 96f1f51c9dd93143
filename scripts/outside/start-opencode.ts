import { spawn } from "node:child_process";
import { once } from "node:events";

/** A server of opencode, by its HTTP interface. */
export interface OpencodeServer {
  createSession(): Promise<string>;
  /** A turn, to its end. Returns the text of the last answer. Throws what opencode reports. */
  say(session: string, text: string): Promise<string>;
  /** As `/compact` on its screen. */
  compact(session: string, modelID: string): Promise<void>;
  titles(): Promise<readonly string[]>;
  log(): string;
  stop(): Promise<void>;
}

interface Answer {
  readonly info: { readonly error?: unknown };
  readonly parts: readonly { readonly type: string; readonly text?: string }[];
}

const TURN_MS = 300_000;

export async function startOpencode(
  program: string,
  folder: string,
  env: Record<string, string | undefined>,
): Promise<OpencodeServer> {
  const args = ["serve", "--port", "0", "--print-logs", "--log-level", "WARN"];
  const child = spawn(program, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  const url = await new Promise<string>((resolve, reject) => {
    const read = (bytes: Buffer): void => {
      log += String(bytes);
      const found = /listening on (http:\S+)/.exec(log)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", () => reject(new Error(log)));
  });
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const signal = AbortSignal.timeout(TURN_MS);
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      signal,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path} answers ${response.status}. ${log}`);
    return response.json();
  };
  return {
    async createSession() {
      return ((await call("POST", "/session", { title: "Notes" })) as { id: string }).id;
    },
    async say(session, text) {
      const { info, parts } = (await call("POST", `/session/${session}/message`, {
        parts: [{ type: "text", text }],
      })) as Answer;
      if (info.error !== undefined) throw new Error(`${JSON.stringify(info.error)} ${log}`);
      return parts.map((part) => part.text ?? "").join("");
    },
    async compact(session, modelID) {
      await call("POST", `/session/${session}/summarize`, { providerID: "anthropic", modelID });
    },
    async titles() {
      return ((await call("GET", "/session")) as { title: string }[]).map(({ title }) => title);
    },
    log: () => log,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}
