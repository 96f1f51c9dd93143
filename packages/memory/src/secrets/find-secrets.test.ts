import { describe, expect, test } from "vitest";
import { draft, temporaryMemory, versionIn } from "../testing/temporary-memory.ts";
import { findSecrets } from "./find-secrets.ts";

// Put together here, so that no scanner of repositories takes this file for a leak.
const token = (prefix: string, length: number) => prefix + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7".repeat(9).slice(0, length);
const kindsIn = async (text: string) => (await findSecrets(text)).map(({ kind }) => kind);

describe("found by", () => {
  test.each([
    ["its form", `we use ${token("gh" + "p_", 36)} here`, "a token of a code host"],
    ["its form, in a link", `https://x.net/?key=${token("AI" + "za", 35)}`, "a key of a cloud"],
    ["what stands around it", `-----BEGIN RSA PRIVATE ${"KEY"}-----\nMIIE`, "a private key"],
    [
      "a link with a password",
      "git clone https://dana:k3yb0ard!x@code.internal/app",
      "a password in a connection string",
    ],
    ["its name", "DB_PASSWORD=hunter2", "a password"],
    ["its name, quoted", `"apiKey": "${token("", 32)}"`, "a key or token"],
    ["its name, in a query", "jdbc:mysql://db/app?user=app&password=I2wyOLGmGe", "a password"],
    ["what is said", "Their password was changed to k3yb0ard!x last week.", "a password"],
    ["a header", `Authorization: Bearer ${token("", 40)}`, "a header with a credential"],
    [
      "decoding it",
      Buffer.from(`use ${token("gl" + "pat-", 20)}`).toString("base64"),
      "a token of a code host, encoded",
    ],
    ["looking past what is not seen", `it is ${token("gh\u200bp_", 36)}`, "a token of a code host"],
  ])("%s", async (_, text, kind) => {
    expect(await kindsIn(text)).toContain(kind);
  });

  test("a scanner of repositories, which knows more", async () => {
    expect(await kindsIn(`deploy with ${token("vc" + "p_", 24)}`)).toEqual(["a secret (vercel)"]);
  });

  test("that scanner, also where a text asks not to be looked at", async () => {
    expect(await kindsIn(`<!-- secretlint-disable -->\ndeploy with ${token("vc" + "p_", 24)}`)).toHaveLength(1);
  });
});

describe("left alone", () => {
  test.each([
    "The password is stored in 1Password, ask Dana for it.",
    `DB_PASSWORD=\${DB_PASSWORD}`,
    "Set `API_KEY=your-api-key-here` in .env before you start.",
    "const token = process.env.SERVICE_TOKEN;",
    "max_tokens: 200000, thinking tokens = 31999",
    "postgres://user:password@localhost:5432/app is what the example shows",
    "http://localhost:8080/path and https://example.com:443/@scope/package",
    "The commit 3f786850e387550fdab836ed7e6dc881de23001b broke the build.",
    "Session 019ed893-d2a6-7c30-a8b8-5a8a49cfa23e has the discussion.",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "password: string; secret?: boolean; apiKey: AuthConfig.apiKey",
    "passwordHash is made by argon2id, tokenizer: cl100k_base",
    "Use `--token <token>` or `-p $PASSWORD`.",
    "secretName: orders-db-credentials, tokenPath: /var/run/secrets/token",
    "The token endpoint is https://auth.internal/oauth/token?grant_type=password",
    "PWD=/work/main npm run -s lab -- chaos memory",
    "sk-learn and gh-pages are fine, so are npm_config_loglevel and hf_transfer.",
  ])("%s", async (text) => {
    expect(await findSecrets(text)).toEqual([]);
  });
});

test("it tells where, in time that grows with the text", async () => {
  const secret = token("gh" + "p_", 36);
  expect(await findSecrets(`ab ${secret} cd`)).toMatchObject([{ from: 3, to: 43 }]);
  const texts = [
    "a".repeat(60_000),
    "a-b_c.".repeat(10_000),
    "password ".repeat(6_000),
    "x=".repeat(30_000),
    "eyJ".repeat(20_000),
  ];
  for (const text of [...texts, "://a:".repeat(12_000), "curl -u ".repeat(7_000), "token is ".repeat(7_000)]) {
    const [short, long] = [await cpuMs(text.slice(0, 15_000)), await cpuMs(text)];
    // Four times as long. What grew with its square would take 16 times, and more where it backtracks.
    expect(long).toBeLessThan(50 + 10 * short);
  }
});

/** Of this process, whatever else the machine does. */
async function cpuMs(text: string): Promise<number> {
  await findSecrets("warm");
  const before = process.cpuUsage();
  await findSecrets(text);
  return process.cpuUsage(before).user / 1_000;
}

describe("a memory", () => {
  test.each([
    ["a body", { body: `Log in with ${token("gh" + "p_", 36)}.` }],
    ["a description", { description: `key ${token("AI" + "za", 35)}` }],
    ["a name", { name: "password: hunter2!" }],
    ["a quote", { evidence: [{ session: "s", entry: 1, quote: `DB_PASSWORD=${token("", 12)}` }] }],
    ["a slug", { slug: token("sk-", 48).toLowerCase() }],
  ])("keeps no secret in %s", async (_, more) => {
    const { memory, has } = await temporaryMemory();
    for (const outcome of [
      await memory.write(draft("a", more), "user", "none"),
      await memory.propose(draft("a", more), "model", "a page"),
    ]) {
      expect(outcome).toMatchObject({ kind: "refused", because: "secret" });
      expect(JSON.stringify(outcome)).not.toMatch(/aB3dE6|hunter2/i);
    }
    const batch = await memory.batch("dream", "learn", async ({ write }) => {
      expect(await write(draft("a", more), "none")).toMatchObject({ because: "secret" });
    });
    expect([batch, has("")]).toEqual([{ kind: "unchanged" }, true]);
    expect([await memory.list(), await memory.inbox()]).toEqual([[], []]);
  });

  test("keeps none in reasons and messages either, and none that was put into the inbox by hand", async () => {
    const { memory, put, has } = await temporaryMemory();
    const secret = `it was DB_PASSWORD=${token("", 12)}`;
    const version = versionIn(await memory.write(draft("a"), "model", "none"));
    expect(await memory.forget("a", "user", secret, version)).toMatchObject({ because: "secret" });
    expect(await memory.propose(draft("b"), "model", secret)).toMatchObject({ because: "secret" });
    expect(await memory.batch("dream", secret, async () => undefined)).toMatchObject({ because: "secret" });
    await memory.propose(draft("b"), "model", "a page");
    put("inbox/b.md", secret);
    expect(await memory.accept("b")).toMatchObject({ because: "secret" });
    expect(has("b.md")).toBe(false);
  });
});
