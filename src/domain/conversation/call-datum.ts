/** What others wrote about a call or its other side: for the language model to use, never to obey. */
export interface CallDatum {
  /** Lower case, like `contact_notes`. */
  readonly label: string;
  readonly text: string;
}
