/** The same texts in another language. */
export type Texts<T> = { readonly [Name in keyof T]: T[Name] extends string ? string : Texts<T[Name]> };
