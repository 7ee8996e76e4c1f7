/** A text as both databases store it: Postgres takes no NUL, and no halves of surrogate pairs. */
export const storableText = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()
