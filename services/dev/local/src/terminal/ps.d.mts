import type { Stat } from "./proc.mjs";

export declare function statByPs(pid: number): Stat | undefined;
export declare function variableByPs(pid: number, name: string): boolean;
export declare function processesByPs(name: string, value: string): Promise<number[]>;
