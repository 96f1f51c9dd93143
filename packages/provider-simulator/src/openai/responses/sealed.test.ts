import { expect, it } from "vitest";
import { sealContent, unsealContent, unverifiableContent } from "./sealed.ts";

const content = { kind: "reasoning", id: "rs_1", text: "Thoughts with ümlauts." } as const;

it("opens what it sealed", () => {
  expect(unsealContent(sealContent(content))).toEqual(content);
});

it("does not open what was changed, cut or made up", () => {
  const sealed = sealContent(content);
  expect(unsealContent(sealed.slice(0, -1))).toBeUndefined();
  expect(unsealContent(`${sealed}A`)).toBeUndefined();
  expect(unsealContent(sealed.replace(/.$/, (last) => (last === "A" ? "B" : "A")))).toBeUndefined();
  expect(unsealContent("gAAAAABmadeup")).toBeUndefined();
  expect(unsealContent("")).toBeUndefined();
});

it("quotes both ends of what it could not verify", () => {
  expect(unverifiableContent("gAAAAABxyzDQ==")).toMatchObject({
    message:
      "The encrypted content gAAA...DQ== could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
    param: null,
    code: "invalid_encrypted_content",
  });
});
