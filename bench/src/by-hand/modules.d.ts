declare module "html-to-text" {
  export function compile(options: object): (html: string) => string;
}
declare module "turndown" {
  class Turndown {
    constructor(options: object);
    remove(elements: readonly string[]): void;
    turndown(html: string): string;
  }
  export = Turndown;
}
