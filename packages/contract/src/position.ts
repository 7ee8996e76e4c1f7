/**
 * The header by which a response to a change returns its position in the database, and by which a later read names it:
 * the read then shows the change, whichever server and whichever copy of the database serves it.
 */
export const positionHeader = 'X-Svc-Position'

/** Positions sort as texts: of two, the greater one is the later. */
export const positionPattern = '^[0-9A-F]{16}$'
