import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkToken, createToken, type StoredToken } from "./token.ts";
import { tokenFolder } from "./token-folder.ts";

/** Behind `pal_`, the tenant, and the id. */
const SECRET_AT = -43;
const DRAFT = { tenant: "shop", name: "desk", scopes: ["sessions:read"] } as const;

test("a token is valid with its secret, as long as it is there and has not expired", async () => {
  const { text, stored } = createToken({ ...DRAFT, expiresAtMs: 2_000 }, { now: () => 1_000 });
  expect(JSON.stringify(stored)).not.toContain(text.slice(SECRET_AT));
  const tokens = {
    find: async (tenant: string, id: string): Promise<StoredToken | undefined> =>
      tenant === "shop" && id === stored.id ? stored : undefined,
  };
  const check = async (header: string | undefined, nowMs = 1_500) => (await checkToken(header, tokens, nowMs)).kind;
  expect(await check(`Bearer ${text}`)).toBe("valid");
  expect(await check(`bearer  ${text} `)).toBe("valid");
  expect(await check(`Bearer ${text}`, 2_000)).toBe("invalid");
  const other = createToken(DRAFT).text;
  const mixed = text.slice(0, SECRET_AT) + other.slice(SECRET_AT);
  for (const wrong of [
    undefined,
    "",
    text,
    `Basic ${text}`,
    `Bearer ${text}x`,
    `Bearer ${other}`,
    `Bearer ${mixed}`,
    "Bearer pal_x_y",
  ])
    expect([wrong, await check(wrong)]).toEqual([wrong, "invalid"]);
});

test("an unknown token and a wrong secret are told in the same words", async () => {
  const { text, stored } = createToken(DRAFT);
  const wrong = `Bearer ${text.slice(0, SECRET_AT)}${createToken(DRAFT).text.slice(SECRET_AT)}`;
  const known = await checkToken(wrong, { find: async () => stored }, 0);
  expect(await checkToken(wrong, { find: async () => undefined }, 0)).toEqual(known);
});

test("a folder keeps tokens for this user only, and what one process revokes is gone for all", async () => {
  const parent = await mkdtemp(join(tmpdir(), "tokens-"));
  onTestFinished(() => rm(parent, { recursive: true }));
  const folder = join(parent, "tokens");
  const [one, other] = [tokenFolder(folder), tokenFolder(folder)];
  expect(await one.list("shop")).toEqual([]);
  const created = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const { stored } = createToken({ ...DRAFT, name: `app ${index}` }, { now: () => index });
      await (index % 2 === 0 ? one : other).add(stored);
      return stored;
    }),
  );
  expect(await other.list("shop")).toEqual(created);
  const [first] = created;
  expect((await stat(join(folder, `${first!.id}.json`))).mode & 0o777).toBe(0o600);
  expect((await readdir(folder)).every((name) => name.endsWith(".json"))).toBe(true);
  expect(await one.find("shop", first!.id)).toEqual(first);
  expect(await other.find("other", first!.id)).toBeUndefined();
  expect(await other.revoke("other", first!.id)).toBe("absent");
  expect(await other.revoke("shop", first!.id)).toBe("revoked");
  expect(await one.find("shop", first!.id)).toBeUndefined();
  expect(await one.revoke("shop", first!.id)).toBe("absent");
  expect(await one.find("shop", "../../etc/passwd")).toBeUndefined();
  expect(await one.revoke("shop", "../x")).toBe("absent");
  await writeFile(join(folder, "aaaaaaaaaaaa.json"), "{");
  await expect(one.find("shop", "aaaaaaaaaaaa")).rejects.toThrow(/create the token again/);
});
