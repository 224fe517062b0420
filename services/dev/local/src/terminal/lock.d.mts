export declare function lockOwner(path: string): Promise<number | undefined>;
export declare function tryLock(path: string): Promise<(() => Promise<void>) | undefined>;
export declare function withLock<T>(path: string, work: () => Promise<T>): Promise<T>;
