/** Escapes a text for HTML. */
export function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Rounds a coordinate to a tenth of a unit. */
export function at(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Rounds up to a round number. */
export function stepFor(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-9)));
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough * (1 - 1e-9))!;
}

/** Round values from zero to at least the most, three to five of them. */
export function ticks(most: number): number[] {
  if (most <= 0) return [0];
  const step = stepFor(most / 4);
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) => index * step);
}

/** The area of a figure in which something is drawn. */
export interface Plot {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Figure {
  /** Unique within the page. */
  readonly id: string;
  readonly title: string;
  /** A description for people who cannot see the chart. */
  readonly description: string;
  readonly width: number;
  readonly height: number;
  readonly content: string;
}

export function svg({ id, title, description, width, height, content }: Figure): string {
  return [
    `<div class="chart"><svg viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-text" preserveAspectRatio="xMidYMid meet">`,
    `<title id="${id}-title">${escapeText(title)}</title><desc id="${id}-text">${escapeText(description)}</desc>`,
    content,
    "</svg></div>",
  ].join("\n");
}
