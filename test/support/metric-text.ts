/** Prometheus' text as it would be without the label that every series has. */
const NODE = 'node="[^"]*"';

export const withoutNode = (text: string): string =>
  text
    .replaceAll(new RegExp(`\\{${NODE}\\}`, "g"), "")
    .replaceAll(new RegExp(`,${NODE}|(?<=\\{)${NODE},`, "g"), "");
