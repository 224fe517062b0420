export interface Stat {
  readonly isZombie: boolean;
  readonly parent: number;
  /** Only for comparison; its format depends on the system. */
  readonly startTime: string;
}
export declare function statOf(pid: number): Stat | undefined;
export declare function hasVariable(pid: number, name: string): boolean;
export declare function processesWith(name: string, value: string): Promise<number[]>;
