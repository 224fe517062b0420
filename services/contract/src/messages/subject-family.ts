/** NATS subjects that end with the id of what a message is about. */
export interface SubjectFamily {
  /** All of them. */
  readonly all: string;
  of(id: string): string;
  idOf(subject: string): string;
}

/** The subjects `<prefix>.<id>`. */
export function subjectFamily(prefix: string): SubjectFamily {
  return {
    all: `${prefix}.*`,
    of: (id) => `${prefix}.${id}`,
    idOf: (subject) => subject.slice(prefix.length + 1),
  };
}
