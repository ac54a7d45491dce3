/**
 * Code examples for receivers: complete functions that verify a delivery's signature (decisions
 * 10).
 */
import curl from "./curl.txt" with { type: "text" };
import javascript from "./javascript.txt" with { type: "text" };
import php from "./php.txt" with { type: "text" };
import python from "./python.txt" with { type: "text" };

export const SNIPPETS = { php, javascript, python, curl } as const;
