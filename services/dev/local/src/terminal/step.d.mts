export type Progress = (text: string) => void;
export declare function step<T>(title: string, work: (progress: Progress) => Promise<T>): Promise<T>;
export declare function print(line: string): void;
export declare class UserError extends Error {}
export declare function fail(error: unknown): never;

/** Instructions for a full disk. */
export declare const diskFull: string;
