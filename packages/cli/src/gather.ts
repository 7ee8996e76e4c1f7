/** Reads an option that can be repeated. */
export const gather = (text: string, before: readonly string[] = []): string[] => [...before, text]
