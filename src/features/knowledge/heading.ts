/** Parses Markdown headings, `## Title ##`. A line may be as long as a file, so it is scanned only once. */

/** `title` may be empty. Null if the line is not a heading. */
export function headingOf(line: string): { readonly level: number; readonly title: string } | null {
  const marks = /^#{1,6}(?=\s)/.exec(line)?.[0];
  if (marks === undefined) return null;
  let end = line.trimEnd().length;
  while (line[end - 1] === "#") end--;
  return { level: marks.length, title: line.slice(marks.length, end).trim() };
}
