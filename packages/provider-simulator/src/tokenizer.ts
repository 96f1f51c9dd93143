/** How a simulated model counts. Plug in an exact tokenizer where one exists; none matches current models exactly. */
export interface Tokenizer {
  readonly name: string;
  /** Tokens of plain text or of JSON as it is rendered into the prompt. */
  countText(text: string): number;
  /** Added for every content block, message wrapper included. */
  readonly blockTokens: number;
  /** Added for every tool definition. */
  readonly toolTokens: number;
  readonly imageTokens: number;
  readonly documentTokens: number;
  /** Tokens per character of a thinking block's signature: the thinking itself is not sent back as text. */
  readonly signatureTokensPerCharacter: number;
}

/** How many bytes count as one token. */
export interface BytesTokenizerOptions {
  /** @default 3.5, between the 4 of common estimates and the 2.9 measured on tool results of current models. */
  bytesPerToken?: number;
}

/** A plain tokenizer for examples and readable tests: UTF-8 bytes over a constant. */
export function bytesTokenizer({ bytesPerToken = 3.5 }: BytesTokenizerOptions = {}): Tokenizer {
  return {
    name: `bytes/${bytesPerToken}`,
    countText: (text) => Math.ceil(Buffer.byteLength(text) / bytesPerToken),
    blockTokens: 4,
    toolTokens: 12,
    imageTokens: 1_600,
    documentTokens: 2_000,
    signatureTokensPerCharacter: 0.25,
  };
}
