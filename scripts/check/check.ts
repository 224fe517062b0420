/** One thing that must hold of the sources. */
export interface Check {
  readonly name: string;
  /** Returns what is wrong, one text each; with `fix` it repairs what a program can repair. */
  run(options: { fix: boolean }): Promise<string[]>;
}
