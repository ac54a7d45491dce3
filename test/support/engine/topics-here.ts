/** Knowledge of the built-in engine for tests. */
export { topicsHere } from "../../../src/engine/embedded/scripted/topics-here.ts";

/** One Markdown file of knowledge. */
export const markdown = (content: string) => [
  { filename: "faq.md", format: "md" as const, content },
];
