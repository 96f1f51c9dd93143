import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type ListeningSocket, listenOnSocket } from "./listen-on-socket.ts";
import { sendToSocket } from "./send-to-socket.ts";
import { type SocketSystem, socketSystemOf } from "./socket-system.ts";

const windows = socketSystemOf("win32", undefined);
/** Named pipes, simulated: abstract sockets of Linux (unix(7)) have no file and no mode either, and end with their process. */
const pipes: SocketSystem = { kind: "pipe", addressOf: (path) => `\0${windows.addressOf(path)}` };
const USER = process.getuid?.();
const message = { id: "m1", from: "session-b", body: "hello" };

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "system-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function listen(path: string, system: SocketSystem): Promise<{ socket: ListeningSocket; received: string[] }> {
  const received: string[] = [];
  const result = await listenOnSocket({ path, system, onMessage: ({ body }) => void received.push(body) });
  if (result.kind === "in-use") throw new Error("in use");
  onTestFinished(() => result.socket.close());
  return { socket: result.socket, received };
}

/** A path of so many bytes. */
function pathOf(folder: string, bytes: number): string {
  const path = join(folder, "private", "");
  return path + "x".repeat(bytes - Buffer.byteLength(path));
}

test("on Windows a socket is a pipe, whose name is that of its path, of any length", () => {
  const name = windows.addressOf("C:\\Users\\ada\\.palimpsest\\sockets\\1f2e");
  expect(name).toMatch(/^\\\\\.\\pipe\\palimpsest-[0-9a-f]{32}$/);
  expect(windows.addressOf("C:\\Users\\ada\\.palimpsest\\sockets\\1f2e")).toBe(name);
  expect(windows.addressOf("C:\\Users\\bob\\.palimpsest\\sockets\\1f2e")).not.toBe(name);
  // CreateNamedPipe takes 256 characters.
  expect(windows.addressOf(`C:\\${"long\\".repeat(100)}s`).length).toBeLessThan(256);
});

test.each([
  ["linux", 107],
  ["darwin", 103],
  ["freebsd", 103],
] as const)("on %s a path of %i bytes is the address, and a longer one has a short address", (platform, most) => {
  const { kind, addressOf } = socketSystemOf(platform, 501);
  const fits = `/${"é".repeat((most - 1) / 2)}`;
  expect(kind).toBe("file");
  expect(Buffer.byteLength(fits)).toBe(most);
  expect(addressOf(fits)).toBe(fits);
  expect(addressOf(`${fits}x`)).toMatch(/^\/tmp\/palimpsest-501\/[0-9a-f]{32}$/);
  expect(addressOf(`${fits}x`)).not.toBe(addressOf(`${fits}y`));
});

test.runIf(process.platform === "linux")("over pipes messages come, and only the token is a file", async () => {
  const path = join(temporaryFolder(), "sockets", "s");
  expect(await sendToSocket({ path, system: pipes, message })).toMatchObject({ because: "absent" });
  const { socket, received } = await listen(path, pipes);
  // Files of Windows have no modes: Node shows all of them as open to everybody.
  chmodSync(dirname(path), 0o777);
  chmodSync(`${path}.token`, 0o666);
  expect(readdirSync(dirname(path))).toEqual(["s.token"]);
  expect(await sendToSocket({ path, system: pipes, message })).toEqual({ kind: "taken" });
  expect(received).toEqual(["hello"]);
  expect(await listenOnSocket({ path, system: pipes, onMessage: () => {} })).toEqual({ kind: "in-use" });
  expect(await sendToSocket({ path, system: pipes, message, token: "t".repeat(64) })).toMatchObject({ kind: "failed" });
  await socket.close();
  expect(readdirSync(dirname(path))).toEqual([]);
});

test.runIf(process.platform === "linux")(
  "a killed process leaves its token and no pipe, and another listens there",
  async () => {
    const path = join(temporaryFolder(), "sockets", "s");
    mkdirSync(dirname(path), { mode: 0o700 });
    writeFileSync(`${path}.token`, "t".repeat(64));
    expect(await sendToSocket({ path, system: pipes, message })).toMatchObject({ because: "absent" });
    const { received } = await listen(path, pipes);
    expect(await sendToSocket({ path, system: pipes, message })).toEqual({ kind: "taken" });
    expect(received).toEqual(["hello"]);
  },
);

test.runIf(process.platform === "linux")(
  "a long folder has a socket all the same, which only its user reaches",
  async () => {
    for (const system of [socketSystemOf("linux", USER), socketSystemOf("darwin", USER)]) {
      const path = pathOf(temporaryFolder(), 108);
      const address = system.addressOf(path);
      const { socket, received } = await listen(path, system);
      expect([existsSync(path), existsSync(`${path}.token`)]).toEqual([false, true]);
      expect([statSync(address).mode & 0o777, statSync(dirname(address)).mode & 0o777]).toEqual([0o600, 0o700]);
      expect(await sendToSocket({ path, system, message })).toEqual({ kind: "taken" });
      expect(received).toEqual(["hello"]);
      await socket.close();
      expect([existsSync(address), existsSync(`${path}.token`)]).toEqual([false, false]);
      // The folder of short addresses is this user's, and stays while another session has one in it.
      if (readdirSync(dirname(address)).length === 0) rmdirSync(dirname(address));
    }
  },
);

test.runIf(process.platform === "linux")(
  "a folder of the short address that others can enter is refused by both sides",
  async () => {
    const folder = temporaryFolder();
    const system: SocketSystem = { kind: "file", addressOf: () => join(folder, "short", "s") };
    const path = pathOf(folder, 200);
    await listen(path, system);
    chmodSync(join(folder, "short"), 0o755);
    expect(await sendToSocket({ path, system, message })).toMatchObject({ because: "unsafe" });
    await expect(listen(path, system)).rejects.toThrow("chmod 700");
  },
);
