/** Placeholder while home is written. */
export function Page() {
  return <p>home</p>;
}
