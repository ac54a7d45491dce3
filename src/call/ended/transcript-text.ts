/** `Agent: …` / `Customer: …` lines (specification 2, decisions 6). */
export function transcriptOf(
  turns: readonly { readonly speaker: "agent" | "customer"; readonly text: string }[],
): string {
  return turns
    .filter((turn) => turn.text.trim() !== "")
    .map((turn) => `${turn.speaker === "agent" ? "Agent" : "Customer"}: ${turn.text.trim()}`)
    .join("\n");
}
