/** A configuration with mistakes in it. By itself, so that naming it does not load the schema. */
export class ConfigInvalid extends Error {
  /** One line a mistake: where, what, what is allowed, the nearest known key. */
  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "ConfigInvalid";
  }
}
