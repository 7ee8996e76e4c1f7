import type { RecipientEvent } from '@kontor/contract'

/** The bit of each kind of engagement in the row of a recipient. */
export const engagementBits: Readonly<Record<RecipientEvent, number>> = { opened: 1, clicked: 2, replied: 4 }

const all = Object.values(engagementBits).reduce((sum, bit) => sum + bit, 0)

/** Every value of a row that has any of some kinds of engagement. */
export const valuesWith = (events: readonly RecipientEvent[]): number[] => {
  const asked = events.reduce((sum, event) => sum | engagementBits[event], 0)
  return Array.from({ length: all }, (_, index) => index + 1).filter((value) => (value & asked) !== 0)
}
