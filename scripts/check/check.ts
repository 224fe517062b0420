/** A check of the sources. */
export interface Check {
  readonly name: string;
  /** Returns one text per problem; with `fix` repairs the problems that a program can repair. */
  run(options: { fix: boolean }): Promise<string[]>;
}
