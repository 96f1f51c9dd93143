import { seal, unseal } from "../../seal.ts";
import { invalidRequest, type Problem } from "../problem.ts";

/** What the service hides in `encrypted_content`. Nobody but the service may look inside; here, it is merely sealed. */
export type Sealed =
  | { readonly kind: "reasoning"; readonly id: string; readonly text: string }
  | { readonly kind: "compaction"; readonly id: string; readonly text: string };

const SECRET = "encrypted_content";

export function sealContent(content: Sealed): string {
  return seal(SECRET, content);
}

/** The content of a seal that we made, or undefined for one that was changed, cut or made up. */
export function unsealContent(sealed: string): Sealed | undefined {
  return unseal(SECRET, sealed) as Sealed | undefined;
}

/** openai/codex#8145 for the first sentence, sub2api#2863 for the reason that was added in 2026. */
export function unverifiableContent(sealed: string): Problem {
  const excerpt = `${sealed.slice(0, 4)}...${sealed.slice(-4)}`;
  const message = `The encrypted content ${excerpt} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
  return invalidRequest(message, { code: "invalid_encrypted_content" });
}
