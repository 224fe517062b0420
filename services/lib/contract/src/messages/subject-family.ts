/** NATS subjects that end with the id of the message's topic. */
export interface SubjectFamily {
  /** Wildcard for all of them. */
  readonly all: string;
  of(id: string): string;
  idOf(subject: string): string;
}

/** Defines the subjects `<prefix>.<id>`. */
export function subjectFamily(prefix: string): SubjectFamily {
  return {
    all: `${prefix}.*`,
    of: (id) => `${prefix}.${id}`,
    idOf: (subject) => subject.slice(prefix.length + 1),
  };
}
