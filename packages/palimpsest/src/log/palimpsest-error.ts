/** The base class of all errors of this library. Each class has a stable code, and fields with the numbers that explain the error. */
export abstract class PalimpsestError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    const { code } = new.target as { readonly code?: string };
    // As Node prints its own errors: a log shows the code, which is the heading to look up in docs/errors.md.
    if (code !== undefined) this.stack = this.stack?.replace(/^\w+/, `${this.name} [${code}]`) ?? "";
  }

  /** Works across copies of this package, where `instanceof` does not. Call it on the error class. */
  static isInstance<Kind extends PalimpsestError>(
    this: { readonly code: string; readonly prototype: Kind },
    error: unknown,
  ): error is Kind {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class that isInstance is called on.
    return error instanceof Error && "code" in error && error.code === this.code;
  }
}
