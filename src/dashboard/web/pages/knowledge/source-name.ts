/** What a passage of knowledge is called. */
export const sourceName = (filename: string, heading: string): string =>
  heading === "" ? filename : `${filename} › ${heading}`;
