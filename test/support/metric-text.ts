/** Prometheus' text without the node label, which every series has. */
const NODE = 'node="[^"]*"';

export const withoutNode = (text: string): string =>
  text
    .replaceAll(new RegExp(`\\{${NODE}\\}`, "g"), "")
    .replaceAll(new RegExp(`,${NODE}|(?<=\\{)${NODE},`, "g"), "");
