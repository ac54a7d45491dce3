/** Makes written text speakable. */
export function spokenText(text: string, _language: string): string {
  return text;
}
