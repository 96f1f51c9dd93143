import { chainDigest, type Digest, digestKey, EMPTY_DIGEST, sameDigest } from "./digest.ts";

/**
 * The prompt as a growing prefix: after each block, a fingerprint of everything up to and including it and the tokens
 * so far. Position n means "the first n blocks".
 */
export class Prefix {
  readonly #digests: Digest[] = [EMPTY_DIGEST];
  readonly #tokens: number[] = [0];
  #pending: Digest | undefined;

  get length(): number {
    return this.#digests.length - 1;
  }

  append(digest: Digest, tokens: number): void {
    const before = this.#digests[this.length]!;
    const settled = this.#pending === undefined ? before : chainDigest(before, this.#pending);
    this.#pending = undefined;
    this.#tokens.push(this.tokens + tokens);
    this.#digests.push(chainDigest(settled, digest));
  }

  /**
   * Changes the fingerprint of everything that follows, without adding a block: for a setting that the service renders
   * here, or a change of role. Earlier fingerprints stay, so a prefix cached up to here is still found.
   */
  mix(digest: Digest): void {
    this.#pending = this.#pending === undefined ? digest : chainDigest(this.#pending, digest);
  }

  digestAt(position: number): Digest {
    return this.#digests[position]!;
  }

  keyAt(position: number): string {
    return digestKey(this.#digests[position]!);
  }

  tokensAt(position: number): number {
    return this.#tokens[position]!;
  }

  /**
   * Returns how many leading blocks two prompts share. Chained fingerprints agree up to the first difference and never
   * after it, so a binary search finds it.
   */
  sharedLength(other: Prefix): number {
    let low = 0;
    let high = Math.min(this.length, other.length);
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (sameDigest(this.digestAt(middle), other.digestAt(middle))) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  get tokens(): number {
    return this.#tokens[this.length]!;
  }
}
