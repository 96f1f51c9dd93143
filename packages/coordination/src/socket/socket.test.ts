import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFrames, toFrame } from "./frames.ts";
import { greetAsClient } from "./handshake.ts";
import { type ListeningSocket, type ListenOptions, listenOnSocket } from "./listen-on-socket.ts";
import type { PeerDraft, PeerMessage } from "./peer-message.ts";
import { sendToSocket } from "./send-to-socket.ts";

const CHARACTER = fc
  .integer({ min: 0, max: 0x10_ff_ff })
  .map((code) => String.fromCodePoint(code))
  .filter((character) => character.isWellFormed());

let folder: string;
let path: string;
let received: PeerMessage[];
const listening: ListeningSocket[] = [];
const opened: Socket[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "socket-"));
  path = join(folder, "private", "s.sock");
  received = [];
});
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy();
  for (const socket of listening.splice(0)) await socket.close();
  rmSync(folder, { recursive: true });
});

async function listen(options: Partial<ListenOptions> = {}): Promise<ListeningSocket> {
  const result = await listenOnSocket({ path, onMessage: (message) => void received.push(message), ...options });
  if (result.kind === "in-use") throw new Error("in use");
  listening.push(result.socket);
  return result.socket;
}
const draft = (id = "m1"): PeerDraft => ({ id, from: "session-b", body: "hello" });
function open(): Socket {
  const socket = connect(path);
  socket.on("error", () => {});
  opened.push(socket);
  return socket;
}
const modeOf = (at: string): number => statSync(at).mode & 0o777;
const closed = async (socket: Socket): Promise<void> => {
  if (!socket.closed) await once(socket, "close");
};

describe("a message", () => {
  test("comes with what its sender calls itself, and is no agent's", async () => {
    await listen();
    expect(await sendToSocket({ path, message: { ...draft(), summary: "a word" } })).toEqual({ kind: "taken" });
    expect(received).toEqual([
      {
        key: "uds:session-b/m1",
        id: "m1",
        body: "hello",
        summary: "a word",
        from: { kind: "peer", says: "session-b" },
      },
    ]);
  });

  test("is taken when it is kept, one at a time", async () => {
    const kept: string[] = [];
    let [active, most] = [0, 0];
    await listen({
      async onMessage({ id }) {
        most = Math.max(most, ++active);
        await sleep(5);
        active--;
        kept.push(id);
        if (id === "m2") throw new Error("a full disk");
      },
    });
    const ids = ["m1", "m2", "m3", "m4"];
    const outcomes = await Promise.all(ids.map((id) => sendToSocket({ path, message: draft(id) })));
    expect(outcomes.filter(({ kind }) => kind === "taken")).toHaveLength(3);
    expect(outcomes[1]).toMatchObject({ kind: "failed", because: "not-kept" });
    expect([kept.toSorted(), most]).toEqual([ids, 1]);
  });

  test("whatever is well-formed comes as it was", async () => {
    await listen();
    const texts = fc.sample(fc.string({ unit: CHARACTER }), 30);
    for (const [index, body] of texts.entries())
      expect(await sendToSocket({ path, message: { ...draft(`m${index}`), body } })).toEqual({ kind: "taken" });
    expect(received.map(({ body }) => body)).toEqual(texts);
    expect(await sendToSocket({ path, message: { ...draft(), body: "😀".slice(1) } })).toMatchObject({
      because: "bad-message",
    });
  });

  test("that is too large is refused in numbers, here and there", async () => {
    await listen({ maxMessageBytes: 1_000 });
    const message = { ...draft(), body: "x".repeat(2_000) };
    expect(await sendToSocket({ path, message, maxMessageBytes: 1_000 })).toMatchObject({
      because: "too-large",
      why: expect.stringContaining("the limit is 1000"),
    });
    expect((await sendToSocket({ path, message })).kind).toBe("unknown");
    expect(received).toEqual([]);
  });
});

describe("who does not know the token", () => {
  test("is not listened to, and does not believe who does not know it either", async () => {
    const { token } = await listen();
    for (const wrong of ["", `${token.slice(0, -1)}x`, token.toUpperCase(), `${token} `])
      expect(await sendToSocket({ path, message: draft(), token: wrong })).toMatchObject({ because: "refused" });
    rmSync(`${path}.token`);
    expect(await sendToSocket({ path, message: draft() })).toMatchObject({ because: "refused" });
    expect(received).toEqual([]);
    expect(await sendToSocket({ path, message: draft(), token })).toEqual({ kind: "taken" });
  });

  test("cannot listen in somebody's place", async () => {
    mkdirSync(join(folder, "private"), { mode: 0o700 });
    const answers: Buffer[] = [];
    const heard = Promise.withResolvers<void>();
    const impostor = createServer(async (socket) => {
      socket.on("error", () => {});
      const frames = createFrames(socket);
      frames.write(Buffer.from("palimpsest 1\n"), Buffer.alloc(32));
      answers.push(await frames.read(1_000));
      frames.write(Buffer.alloc(32));
      answers.push(await frames.read(1_000).catch(() => Buffer.alloc(0)));
      heard.resolve();
    });
    await new Promise<void>((resolve) => impostor.listen(path, resolve));
    const outcome = await sendToSocket({ path, message: draft(), token: "t".repeat(64) });
    expect(outcome).toMatchObject({ kind: "failed", because: "untrusted" });
    await heard.promise;
    // All it has learned is a proof for its own number.
    expect(answers.map(({ length }) => length)).toEqual([64, 0]);
    impostor.close();
  });

  test("cannot say again what another said, nor put words into its talk", async () => {
    await listen();
    const relayPath = join(folder, "private", "relay.sock");
    writeFileSync(`${relayPath}.token`, "");
    // Passes everything on, keeps what the sender says, and changes the message.
    const said: Buffer[] = [];
    const relay = createServer(async (outside) => {
      const inside = open();
      outside.on("error", () => {});
      inside.on("data", (chunk) => outside.write(chunk));
      inside.on("close", () => outside.destroy());
      outside.on("data", (chunk: Buffer) => {
        said.push(chunk);
        const text = chunk.toString("latin1");
        inside.write(text.includes("hello") ? Buffer.from(text.replace("hello", "delete"), "latin1") : chunk);
      });
    });
    await new Promise<void>((resolve) => relay.listen(relayPath, resolve));
    const { token } = listening[0]!;
    expect((await sendToSocket({ path: relayPath, message: draft(), token })).kind).toBe("unknown");
    expect(said.length).toBeGreaterThanOrEqual(2);
    const replay = open().resume();
    for (const chunk of said) replay.write(chunk);
    await closed(replay);
    expect(received).toEqual([]);
    relay.close();
  });

  test("a token that could be guessed is refused", async () => {
    await expect(listen({ token: "secret" })).rejects.toMatchObject({ code: "unsafe-socket" });
  });
});

describe("peers that misbehave", () => {
  test("garbage of any sort ends its own connection and nothing else", async () => {
    await listen();
    const noise = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 300 }), 40);
    const shaped = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 80 }), 20).map((bytes) => toFrame(bytes));
    const huge = [
      Buffer.from([0xff, 0xff, 0xff, 0xff]),
      Buffer.from([0, 0, 0, 0]),
      Buffer.from("GET / HTTP/1.1\r\n\r\n"),
    ];
    for (const bytes of [...noise, ...shaped, ...huge]) {
      const socket = open();
      socket.resume();
      socket.end(bytes);
      await closed(socket);
    }
    expect(await sendToSocket({ path, message: draft() })).toEqual({ kind: "taken" });
    expect(received).toHaveLength(1);
  });

  test("one that knows the token and sends no message is told so; what it says beside a message is dropped", async () => {
    const { token } = await listen();
    const say = async (bytes: Buffer): Promise<string> => {
      const frames = createFrames(open());
      const channel = await greetAsClient(frames, token);
      frames.write(channel.seal("client", bytes));
      return channel.open("server", await frames.read(100)).toString();
    };
    const texts = [
      "",
      "{",
      "null",
      "[]",
      "7",
      '{"id":"m"}',
      '{"id":"a/b","from":"x","body":""}',
      '{"id":1,"from":"x","body":""}',
    ];
    for (const text of texts) expect(await say(Buffer.from(text || " "))).toBe("no-message");
    expect(
      await say(Buffer.concat([Buffer.from('{"id":"m","from":"x","body":"'), Buffer.from([0xff]), Buffer.from('"}')])),
    ).toBe("no-message");
    expect(await say(Buffer.from('{"id":"m","from":"x","body":"\\ud83d"}'))).toBe("no-message");
    expect(received).toEqual([]);
    const forged = {
      id: "m",
      from: "lead",
      body: "b",
      key: "k",
      kind: "shutdown_request",
      team: "t",
      __proto__: { a: 1 },
    };
    expect(await say(Buffer.from(JSON.stringify(forged)))).toBe("taken");
    expect(received).toEqual([{ key: "uds:lead/m", id: "m", from: { kind: "peer", says: "lead" }, body: "b" }]);
  });

  test("one that takes its time is cut off, at any point", async () => {
    const { token } = await listen({ deadlineMs: 2_000 });
    const silent = open();
    const half = open();
    half.write(Buffer.from([0, 0, 0, 64, 1, 2, 3]));
    const proven = open();
    const { seal } = await greetAsClient(createFrames(proven), token);
    proven.write(toFrame(seal("client", Buffer.from("{}"))).subarray(0, 20));
    for (const socket of [silent, half, proven]) {
      socket.resume();
      await closed(socket);
    }
    expect(received).toEqual([]);
  });

  test("hundreds that only sit there do not keep out one that has something to say", async () => {
    await listen({ deadlineMs: 60_000, maxConnections: 16 });
    const idle = Array.from({ length: 300 }, open);
    await Promise.all(idle.map((socket) => (socket.connecting ? once(socket, "connect").catch(() => {}) : undefined)));
    for (let index = 0; index < 5; index++)
      expect(await sendToSocket({ path, message: draft(`m${index}`) })).toEqual({ kind: "taken" });
    for (const socket of idle) socket.resume();
    await expect.poll(() => idle.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(16);
  });
});

describe("where it listens", () => {
  test("only this user can enter, whatever the umask", async () => {
    const before = process.umask(0);
    try {
      const socket = await listen();
      expect(modeOf(join(folder, "private"))).toBe(0o700);
      expect([modeOf(path), modeOf(`${path}.token`)]).toEqual([0o600, 0o600]);
      expect(socket.token).toMatch(/^[0-9a-f]{64}$/);
    } finally {
      process.umask(before);
    }
  });

  test("a folder that others can enter, or a link to one, is refused by both sides", async () => {
    const { token } = await listen();
    chmodSync(join(folder, "private"), 0o755);
    expect(await sendToSocket({ path, message: draft(), token })).toMatchObject({ because: "unsafe" });
    await expect(listen({ path: join(folder, "private", "t.sock") })).rejects.toThrow("chmod 700");
    chmodSync(join(folder, "private"), 0o700);
    symlinkSync(join(folder, "private"), join(folder, "link"));
    const through = join(folder, "link", "s.sock");
    await expect(listen({ path: through })).rejects.toThrow("is a link");
    expect(await sendToSocket({ path: through, message: draft() })).toMatchObject({ because: "unsafe" });
    chmodSync(`${path}.token`, 0o644);
    expect(await sendToSocket({ path, message: draft() })).toMatchObject({ because: "unsafe" });
  });

  test("what is no socket is not removed; what nobody answers on is; what is in use is left", async () => {
    mkdirSync(join(folder, "private"), { mode: 0o700 });
    writeFileSync(path, "a file");
    await expect(listen()).rejects.toThrow("something else stands there");
    expect(await sendToSocket({ path, message: draft() })).toMatchObject({ because: "unsafe" });
    rmSync(path);
    expect(await sendToSocket({ path, message: draft() })).toMatchObject({ because: "absent" });

    const script = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => console.log("ready"))`;
    const child = spawn(process.execPath, ["--eval", script]);
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(existsSync(path)).toBe(true);
    expect(await sendToSocket({ path, message: draft(), token: "t".repeat(32) })).toMatchObject({ because: "absent" });
    await listen();
    expect(await listenOnSocket({ path, onMessage: () => {} })).toEqual({ kind: "in-use" });
    expect(await sendToSocket({ path, message: draft() })).toEqual({ kind: "taken" });
  });

  test("nothing is left of it when it is closed, and who waits is told", async () => {
    const begun = Promise.withResolvers<void>();
    const socket = await listen({
      onMessage: () => {
        begun.resolve();
        return new Promise(() => {});
      },
    });
    const sending = sendToSocket({ path, message: draft() });
    const waiting = sendToSocket({ path, message: draft("m2"), timeoutMs: 50 });
    await begun.promise;
    expect((await waiting).kind).toBe("unknown");
    await socket.close();
    await socket.close();
    expect((await sending).kind).toBe("unknown");
    expect([existsSync(path), existsSync(`${path}.token`)]).toEqual([false, false]);
  });
});
