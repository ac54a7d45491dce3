/** A vault without encryption, for tests about other things. */
export const plainVault = {
  open(sealed: string, _binding: string): string {
    if (!sealed.startsWith("sealed:")) throw new Error("sealed elsewhere");
    return sealed.slice("sealed:".length);
  },
};
