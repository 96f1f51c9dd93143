import { expect, test } from "vitest";
import { bytesTokenizer } from "../../tokenizer.ts";
import { createItemReader } from "./items.ts";
import { afterCompaction } from "./measure-responses.ts";
import { sealContent } from "./sealed.ts";

const read = createItemReader(bytesTokenizer());
const compaction = (id: string) =>
  read({ type: "compaction", encrypted_content: sealContent({ kind: "compaction", id, text: "Sum." }) });
const said = (role: string) => read({ role, content: role });

test("7.3 a compaction stands for what came before it, except for what users and developers said", () => {
  const [developer, user, assistant, later] = [said("developer"), said("user"), said("assistant"), said("assistant")];
  const last = compaction("cmp_2");
  expect(afterCompaction([developer, user, assistant, compaction("cmp_1"), assistant, last, later])).toEqual([
    developer,
    user,
    last,
    later,
  ]);
  expect(afterCompaction([developer, user, assistant])).toEqual([developer, user, assistant]);
});
