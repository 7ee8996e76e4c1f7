/** Something measured once: what it is, what is promised of it, what came out. */
export type Fact = { readonly what: string; readonly value: string; readonly isMet?: boolean }
