/** Display names of knowledge passages. */
interface Source {
  readonly filename: string;
  readonly heading: string;
}

export const sourceNames = (sources: readonly Source[]): string =>
  sources
    .map(({ filename, heading }) => (heading === "" ? filename : `${filename} › ${heading}`))
    .join("; ");
