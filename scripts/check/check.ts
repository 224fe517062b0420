/** One thing that must hold of the sources. */
export interface Check {
  readonly name: string;
  /** Answers what is wrong, a text each; with `fix` mends what a program can mend. */
  run(options: { fix: boolean }): Promise<string[]>;
}
