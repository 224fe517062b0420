export interface Stat {
  readonly isZombie: boolean;
  readonly parent: number;
  /** Only to be compared; its form is the system's. */
  readonly startTime: string;
}
export declare function statOf(pid: number): Stat | undefined;
export declare function hasVariable(pid: number, name: string): boolean;
export declare function processesWith(name: string, value: string): Promise<number[]>;
