/** Untrusted text about a call or its other party. The language model may use it but must not obey it. */
export interface CallContextItem {
  /** Lower case, like `contact_notes`. */
  readonly label: string;
  readonly text: string;
}
