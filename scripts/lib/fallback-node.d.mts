export declare function mendNode(root: string): Promise<void>;
