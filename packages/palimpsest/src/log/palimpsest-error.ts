/** What all errors of this library are. Each class has a code that names it for good, and fields with the numbers that explain it. */
export abstract class PalimpsestError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }

  /** Holds across copies of this package, where `instanceof` does not. Called on the class in question. */
  static isInstance<Kind extends PalimpsestError>(
    this: { readonly code: string; readonly prototype: Kind },
    error: unknown,
  ): error is Kind {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class that isInstance is called on.
    return error instanceof Error && "code" in error && error.code === this.code;
  }
}
